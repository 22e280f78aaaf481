// Gives up sharpness, never the scene, when frames are slow: first the shadow's, then the picture's.
const LEVELS = [
  { shadow: 2048, resolution: 1 },
  { shadow: 1024, resolution: 1 },
  { shadow: 1024, resolution: 0.8 },
  { shadow: 512, resolution: 0.65 },
];
const SLOW = 55; // ms between pictures, as a running mean

export class Quality {
  private level = 0;
  private mean = 16;
  private since = 0; // pictures at this level

  get shadow(): number { return LEVELS[this.level].shadow; }
  get resolution(): number { return LEVELS[this.level].resolution; }
  get bestShadow(): number { return LEVELS[0].shadow; }

  restart(): void {
    this.mean = 16;
    this.since = 0;
  }
  // Milliseconds since the last picture; true when the resolution changed. Pauses do not count.
  drew(elapsed: number): boolean {
    ++this.since;
    if (elapsed > 400) return false;
    this.mean += 0.12 * (elapsed - this.mean);
    if (this.since < 24 || this.mean < SLOW || this.level === LEVELS.length - 1) return false;
    const old = this.resolution;
    ++this.level;
    this.since = 0;
    return this.resolution !== old;
  }
}
