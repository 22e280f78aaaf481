// What a live simulation's values were during the last simulated seconds.
import type { PlotData } from "./plots";

const span = 20; // s, simulated
const most = 4000; // samples: beyond, every other one is dropped

export class History implements PlotData {
  times: number[] = [];
  private columns: number[][] = [];

  reset(count: number): void {
    this.times = [];
    this.columns = Array.from({ length: count }, () => []);
  }
  column(index: number): number[] {
    return this.columns[index]!;
  }
  push(time: number, values: Float64Array): void {
    if (this.times.length && time < this.times[this.times.length - 1]!) this.reset(this.columns.length); // started again
    if (this.times.length && time === this.times[this.times.length - 1]) return;
    this.times.push(time);
    this.columns.forEach((column, k) => column.push(values[k] ?? NaN));
    if (this.times.length > most) this.keep((_, k) => k % 2 === 0 || k > this.times.length - 200);
    else if (this.times[0]! < time - 1.1 * span) this.keep((then) => then >= time - span);
  }
  private keep(wanted: (time: number, index: number) => boolean): void {
    const indices = this.times.map((_, k) => k).filter((k) => wanted(this.times[k]!, k));
    this.times = indices.map((k) => this.times[k]!);
    this.columns = this.columns.map((column) => indices.map((k) => column[k]!));
  }
}
