// Plots of a frame's values over time, in tabs by group; one chart per unit (or per value, for the solver's).
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ValueDescription } from "../protocol";
import { lastAtOrBefore } from "./decode";
import { el, remember, remembered, setHidden, short, withUnit } from "./dom";
import { cssColour, onTheme } from "./theme";

type Group = ValueDescription["group"];
const titles: Record<Group, string> = { energy: "Energies", twist: "Twist", solver: "Solver", probe: "Probes" };
const chartHeight = 118; // px
const smallest = 1e-16; // on logarithmic axes, for what is zero

export interface Series { value: ValueDescription; label: string; run: number; index: number } // index: among the values of that run
export interface PlotData { times: ArrayLike<number>; column(index: number): ArrayLike<number> } // of one run
interface Chart { plot: uPlot; marker: HTMLElement; series: Series[]; log: boolean }

// On logarithmic axes: a mark at every third power of ten, nothing between.
const everyDecade = (_: uPlot, marks: number[]): (number | null)[] => marks.map((mark) => (Math.abs(Math.log10(mark) % 3) < 1e-6 ? mark : null));

// What belongs into one chart.
function chartKey(value: ValueDescription): string {
  if (value.group === "solver") return value.name;
  if (value.group === "probe") return `${value.name.replace(/\.[^.]*$/, "")}|${value.unit}`;
  return value.unit;
}

export class Plots {
  readonly element = el("section", { class: "plots panel", "aria-label": "Plots" });
  private readonly tabs = el("div", { class: "tabs", role: "tablist" });
  private readonly charts = el("div", { class: "charts", role: "tabpanel" });
  private series: Series[] = [];
  private data: PlotData[] = [];
  private made: Chart[] = [];
  private group: Group = "energy";
  private time = 0;
  onSeek: ((time: number) => void) | null = null;
  onToggle: () => void = () => {};

  constructor() {
    this.element.append(this.tabs, this.charts);
    const kept = remembered("plots") as Group | null;
    if (kept && kept in titles) this.group = kept;
    onTheme(() => this.rebuild());
    new ResizeObserver(() => this.resize()).observe(this.charts);
    setHidden(this.element, innerWidth < 700 || innerHeight < 500);
  }
  get open(): boolean {
    return !this.element.hidden;
  }
  toggle(): void {
    setHidden(this.element, this.open);
    this.rebuild();
    this.onToggle();
  }
  // values: of each run; labels tell several runs apart.
  setValues(values: ValueDescription[][], data: PlotData[], labels: string[] = []): void {
    this.series = values.flatMap((list, run) => list.map((value, index) => ({ value, run, index, label: labels.length > 1 ? `${value.name}, ${labels[run]}` : value.name })));
    this.data = data;
    const groups = (Object.keys(titles) as Group[]).filter((group) => this.series.some((one) => one.value.group === group));
    if (!groups.includes(this.group) && groups.length) this.group = groups[0]!;
    this.tabs.replaceChildren(...groups.map((group) => el("button", {
      type: "button", role: "tab", "data-group": group, "aria-selected": String(group === this.group), onclick: () => this.choose(group),
      onpointerdown: (event: Event) => event.preventDefault(),
    }, titles[group])));
    this.rebuild();
  }
  private choose(group: Group): void {
    this.group = group;
    remember("plots", group);
    for (const tab of this.tabs.children) tab.setAttribute("aria-selected", String((tab as HTMLElement).dataset.group === group));
    this.rebuild();
  }

  private rebuild(): void {
    for (const chart of this.made) chart.plot.destroy();
    this.made = [];
    this.charts.replaceChildren();
    if (!this.open) return;
    const byKey = new Map<string, Series[]>();
    for (const one of this.series) if (one.value.group === this.group) byKey.set(chartKey(one.value), [...(byKey.get(chartKey(one.value)) ?? []), one]);
    for (const series of byKey.values()) this.made.push(this.makeChart(series));
    this.resize();
    this.update();
  }

  private makeChart(series: Series[]): Chart {
    const log = series.every((one) => one.value.name === "residual");
    const unit = series[0]!.value.unit;
    const ink = cssColour("--ink-soft"), grid = cssColour("--grid");
    const font = `11px ${cssColour("--font")}`;
    const colours = series.map((one, k) => cssColour(`--series-${(one.value.group === "energy" ? one.index : k) % 8}`));
    const options: uPlot.Options = {
      width: 300, height: chartHeight, pxAlign: 0,
      scales: { x: { time: false }, y: log ? { distr: 3 } : {} },
      legend: { live: true, markers: { width: 0, fill: (_, k) => (series[k - 1]!.run % 2 ? `repeating-linear-gradient(to right, ${colours[k - 1]} 0 4px, transparent 4px 6px)` : colours[k - 1]!) } },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: "tendril" } },
      axes: [
        { stroke: ink, font, size: 24, gap: 2, ticks: { show: false }, grid: { stroke: grid, width: 1 }, values: (_, marks) => marks.map((mark) => `${short(mark, 4)}`) },
        { stroke: ink, font, size: 52, gap: 4, space: log ? 30 : 20, ...(log ? { filter: everyDecade } : {}), ticks: { show: false }, grid: { stroke: grid, width: 1 }, values: (_, marks) => marks.map((mark) => mark === null ? "" : short(mark, 3)) },
      ],
      series: [
        { label: "time", value: (_, value) => (value === null ? "" : withUnit(value, "s", 4)) },
        ...series.map((one, k) => ({
          label: one.label.replace(/_/g, " "), stroke: colours[k]!,
          width: one.value.name === "total" ? 2.2 : 1.5, points: { show: false }, dash: one.run % 2 ? [6, 4] : undefined,
          value: (_: uPlot, value: number | null) => (value === null || value === undefined ? "\u2013" : withUnit(value, unit)),
        })),
      ],
    };
    const box = el("figure", { class: "chart", "aria-label": series.map((one) => one.label).join(", ") });
    this.charts.append(box);
    const plot = new uPlot(options, [[], ...series.map(() => [])] as unknown as uPlot.AlignedData, box);
    const marker = el("div", { class: "marker" });
    plot.over.append(marker);
    plot.over.addEventListener("click", () => {
      if (this.onSeek && plot.cursor.left !== undefined && plot.cursor.left >= 0) this.onSeek(plot.posToVal(plot.cursor.left, "x"));
    });
    plot.over.addEventListener("mouseleave", () => this.mark(this.time));
    return { plot, marker, series, log };
  }

  private resize(): void {
    const count = this.made.length;
    const space = this.charts.clientWidth;
    if (!count || !space) return;
    const width = Math.max(Math.min(210, space), Math.floor((space - 8 * (count - 1)) / count));
    for (const { plot } of this.made) if (plot.width !== width) plot.setSize({ width, height: chartHeight });
    this.mark(this.time);
  }

  // Takes the data anew: runs may have different times, so that each keeps its own and uPlot joins them.
  update(): void {
    for (const { plot, series, log } of this.made) {
      const tables = series.map((one): uPlot.AlignedData => {
        const column = this.data[one.run]!.column(one.index);
        return [this.data[one.run]!.times as number[], log ? Array.from(column, (value) => Math.max(value, smallest)) : (column as number[])];
      });
      const oneClock = series.every((one) => one.run === series[0]!.run);
      plot.setData(oneClock ? [tables[0]![0], ...tables.map((table) => table[1]!)] as uPlot.AlignedData : uPlot.join(tables));
    }
    this.mark(this.time);
  }

  // The line at the time shown; the values there, unless the mouse asks for others.
  mark(time: number): void {
    this.time = time;
    for (const { plot, marker } of this.made) {
      const times = plot.data[0];
      if (!times.length) continue;
      marker.style.transform = `translateX(${Math.min(plot.over.clientWidth, plot.valToPos(time, "x"))}px)`;
      if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: lastAtOrBefore(times, time) }, false);
    }
  }

  // For tests: the names and numbers in the charts of the open tab.
  shownData(): { labels: string[]; data: number[][]; marker: number }[] {
    return this.made.map(({ plot, series }) => ({ labels: series.map((one) => one.label), data: plot.data.map((column) => Array.from(column as ArrayLike<number>)), marker: this.time }));
  }
}
