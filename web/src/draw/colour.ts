// Colour maps and the range they span. Magnitudes: viridis-like; signed values: blue - pale - red with zero in the middle.
import { ClampToEdgeWrapping, Color, DataTexture, LinearFilter } from "three";
import type { Colouring, Legend } from "./rod_view";

// Stops are the published samples of viridis, plasma without its darkest end, and a diverging map with bright ends.
const VIRIDIS = ["#46186a", "#433e85", "#38598c", "#2d708e", "#25858e", "#1e9b8a", "#2ab07f", "#52c569", "#86d549", "#c2df23", "#fde725"];
const PLASMA = ["#3b0fa3", "#5c01a6", "#7e03a8", "#a01a9c", "#bf3984", "#d8576b", "#eb7655", "#f89540", "#fdb92f", "#f0f921"];
const DIVERGING = ["#1d5fae", "#2f7fc4", "#57a3d6", "#96c8e4", "#cfe4f0", "#f4f1ea", "#fbd8c4", "#f4a98a", "#e2735c", "#cf3f45", "#b01a3c"];

interface Kind { title: string; unit: string; stops: string[]; signed: boolean }
const KINDS: Record<Exclude<Colouring, "none">, Kind> = {
  curvature: { title: "curvature", unit: "1/m", stops: VIRIDIS, signed: false },
  twist: { title: "twist", unit: "rad/m", stops: DIVERGING, signed: true },
  tension: { title: "tension", unit: "N", stops: DIVERGING, signed: true },
  moment: { title: "moment", unit: "N m", stops: PLASMA, signed: false },
  contact: { title: "contact force", unit: "N", stops: PLASMA, signed: false },
};

function sample(stops: string[], at: number): Color {
  const x = Math.min(1, Math.max(0, at)) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  const a = new Color(stops[i]).convertLinearToSRGB(), b = new Color(stops[i + 1]).convertLinearToSRGB();
  return a.lerp(b, x - i); // mixed as written
}

const css = (c: Color): string => "#" + [c.r, c.g, c.b].map((x) => Math.round(255 * x).toString(16).padStart(2, "0")).join("");

function mapTexture(): DataTexture {
  const made = new DataTexture(new Uint8Array(256 * 4), 256, 1);
  made.minFilter = made.magFilter = LinearFilter;
  made.wrapS = made.wrapT = ClampToEdgeWrapping;
  return made;
}

export class ColourScale {
  readonly texture = mapTexture();
  low = 0;
  high = 1;
  private kind: Kind | null = null;
  private settled = false; // the next range is taken at once
  private sorted = new Float32Array(2048);
  private largest = 0; // ever seen under this colouring

  choose(colouring: Colouring): void {
    this.kind = colouring === "none" ? null : KINDS[colouring];
    this.settled = false;
    this.largest = 0;
    if (!this.kind) return;
    const data = this.texture.image.data as unknown as Uint8Array;
    for (let i = 0; i < 256; ++i) {
      const c = sample(this.kind.stops, i / 255);
      data.set([Math.round(255 * c.r), Math.round(255 * c.g), Math.round(255 * c.b), 255], 4 * i);
    }
    this.texture.needsUpdate = true;
  }
  restart(): void {
    this.settled = false;
    this.largest = 0;
  }

  // Follows the 1st and 99th hundredth of what is shown; grows faster than it shrinks. `least`: below this all is noise.
  follow(shown: (Float32Array | null)[], least: number): void {
    if (!this.kind) return;
    let total = 0;
    for (const values of shown) total += values?.length ?? 0;
    if (total === 0) return;
    const stride = Math.max(1, Math.ceil(total / this.sorted.length));
    let n = 0;
    for (const values of shown)
      if (values) for (let i = 0; i < values.length && n < this.sorted.length; i += stride) if (Number.isFinite(values[i])) this.sorted[n++] = values[i];
    if (n === 0) return;
    const sorted = this.sorted.subarray(0, n).sort();
    const cut = Math.floor(0.01 * (n - 1));
    let low = sorted[cut], high = sorted[n - 1 - cut];
    this.largest = Math.max(this.largest, Math.abs(low), Math.abs(high));
    const floor = Math.max(least, 1e-3 * this.largest, 1e-12);
    if (this.kind.signed) {
      high = Math.max(Math.abs(low), Math.abs(high), floor);
      low = -high;
    } else {
      high = Math.max(high, floor);
      low = Math.max(0, low) < 0.6 * high ? 0 : low; // from zero, unless the values are nearly alike
      if (high - low < 0.02 * high) low = 0;
    }
    const toHigh = !this.settled ? 1 : high > this.high ? 0.25 : 0.04;
    const toLow = !this.settled ? 1 : low < this.low ? 0.25 : 0.04;
    this.high += toHigh * (high - this.high);
    this.low += toLow * (low - this.low);
    if (this.kind.signed) this.low = -this.high;
    this.settled = true;
  }

  legend(): Legend | null {
    if (!this.kind) return null;
    const { title, unit, stops } = this.kind;
    const colours = Array.from({ length: 17 }, (_, i) => css(sample(stops, i / 16)));
    return { title, unit, low: this.low, high: this.high, colours };
  }
}
