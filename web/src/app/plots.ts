// Plots of a frame's values over time, in tabs by group; one chart per unit (or per value, for the solver's).
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ValueDescription } from "../protocol";
import { nearestTo } from "./decode";
import { el, remember, remembered, setHidden, short, tickLabels, withUnit } from "./dom";
import { cssColour, onTheme } from "./theme";

type Group = ValueDescription["group"];
const titles: Record<Group, string> = { energy: "Energies", balance: "Work and losses", twist: "Twist", solver: "Solver", probe: "Probes" };
const chartHeight = 118; // px
const negligible = 1e-12; // of the largest in its chart: as good as zero
const smallest = 1e-16; // on logarithmic axes, for what is zero

export interface Series { value: ValueDescription; label: string; run: number; index: number; colour: number } // index: among the values of that run
export interface PlotData { times: ArrayLike<number>; column(index: number): ArrayLike<number> } // of one run
interface Chart { plot: uPlot; marker: HTMLElement; series: Series[]; log: boolean }

// On logarithmic axes: a mark at every third power of ten, nothing between.
const everyDecade = (_: uPlot, marks: number[]): (number | null)[] => marks.map((mark) => (Math.abs(Math.log10(mark) % 3) < 1e-6 ? mark : null));

const heightOf = ({ scales: { y } }: uPlot): number => (y && y.max != null && y.min != null ? y.max - y.min : 0);
// Rounding errors of a constant do not fill the chart.
function yRange(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [null, null];
  const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high)), middle = (low + high) / 2;
  return high - low < least ? [middle - least, middle + least] : uPlot.rangeNum(low, high, 0.1, true);
}

// What belongs into one chart.
function chartKey(value: ValueDescription): string {
  if (value.group === "solver") return value.name;
  if (value.group === "probe") return `${value.name.replace(/\.[^.]*$/, "")}|${value.unit}`;
  return value.unit;
}

function largest(column: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < column.length; k++) if (Math.abs(column[k]!) > most) most = Math.abs(column[k]!);
  return most;
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
  clock = { label: "time", unit: "s", factor: 1 }; // what runs along the axis, and how much of it a second is
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
    this.series = values.flatMap((list, run) => list.map((value, index) => ({ value, run, index, colour: 0, label: labels.length > 1 ? `${value.name}, ${labels[run]}` : value.name })));
    const charts = new Map<string, number>(); // colours used in each
    for (const one of this.series) {
      const key = `${one.value.group}|${chartKey(one.value)}`, used = charts.get(key) ?? 0;
      charts.set(key, used + 1);
      one.colour = one.value.group === "energy" ? one.index : used;
    }
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

  // Of the open tab, chart by chart: what is not zero throughout. Where nothing is (yet), everything, so that there is a chart.
  private wanted(): Series[][] {
    const byKey = new Map<string, Series[]>();
    for (const one of this.series) if (one.value.group === this.group) byKey.set(chartKey(one.value), [...(byKey.get(chartKey(one.value)) ?? []), one]);
    const all = [...byKey.values()];
    const some = all.map((chart) => {
      const sizes = chart.map((one) => largest(this.data[one.run]!.column(one.index)));
      const least = negligible * Math.max(...sizes);
      return chart.filter((one) => chart.some((other, k) => other.value.name === one.value.name && sizes[k]! > least)); // in any run
    }).filter((chart) => chart.length);
    return some.length ? some : all;
  }
  private rebuild(): void {
    for (const chart of this.made) chart.plot.destroy();
    this.made = [];
    this.charts.replaceChildren();
    if (!this.open) return;
    for (const series of this.wanted()) this.made.push(this.makeChart(series));
    this.resize();
    this.fill();
  }

  private makeChart(series: Series[]): Chart {
    const log = series.every((one) => one.value.name === "residual");
    const unit = series[0]!.value.unit, { factor } = this.clock;
    const ink = cssColour("--ink-soft"), grid = cssColour("--grid");
    const font = `11px ${cssColour("--font")}`;
    const colours = series.map((one) => cssColour(`--series-${one.colour % 8}`));
    const options: uPlot.Options = {
      width: 300, height: chartHeight, pxAlign: 0,
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: yRange } },
      legend: { live: true, markers: { width: 0, fill: (_, k) => (series[k - 1]!.run % 2 ? `repeating-linear-gradient(to right, ${colours[k - 1]} 0 4px, transparent 4px 6px)` : colours[k - 1]!) } },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: "tendril" } },
      axes: [
        { stroke: ink, font, size: 24, gap: 2, ticks: { show: false }, grid: { stroke: grid, width: 1 }, values: (_, marks, _axis, _space, step) => tickLabels(marks.map((mark) => mark * factor), step * factor) },
        { stroke: ink, font, size: (_, labels) => Math.min(110, Math.max(52, 12 + 6.4 * Math.max(0, ...(labels ?? []).map((label) => label.length)))), gap: 4, space: log ? 30 : 20, ...(log ? { filter: everyDecade } : {}), ticks: { show: false }, grid: { stroke: grid, width: 1 }, values: (_, marks, _axis, _space, step) => (log ? marks.map((mark: number | null) => (mark === null ? "" : short(mark, 3))) : tickLabels(marks, step)) },
      ],
      series: [
        { label: this.clock.label, value: (_, value) => (value === null ? "" : withUnit(value * factor, this.clock.unit, 4)) },
        ...series.map((one, k) => ({
          label: one.label.replace(/_/g, " "), stroke: colours[k]!,
          width: one.value.name === "total" ? 2.2 : 1.5, points: { show: false }, dash: one.run % 2 ? [6, 4] : undefined,
          value: (plot: uPlot, value: number | null) => (value === null || value === undefined ? "\u2013" : withUnit(Math.abs(value) < 1e-9 * (log ? 0 : heightOf(plot)) ? 0 : value, unit)),
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

  // After the data have changed; what was zero so far may not be any more.
  update(): void {
    if (!this.open) return;
    const wanted = this.wanted();
    if (wanted.flat().length === this.made.reduce((sum, chart) => sum + chart.series.length, 0) && wanted.every((chart, k) => chart.every((one, n) => this.made[k]?.series[n] === one))) this.fill();
    else this.rebuild();
  }
  // Takes the data anew: runs may have different times, so that each keeps its own and uPlot joins them.
  private fill(): void {
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
      if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: nearestTo(times, time) }, false);
    }
  }

  // For tests: the names and numbers in the charts of the open tab.
  shownData(): { labels: string[]; data: number[][]; marker: number; read: number | null }[] {
    return this.made.map(({ plot, series }) => ({ read: plot.legend.idx == null ? null : (plot.data[0][plot.legend.idx] ?? null), labels: series.map((one) => one.label), data: plot.data.map((column) => Array.from(column as ArrayLike<number>)), marker: this.time }));
  }
}
