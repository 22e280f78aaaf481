// Gives up sharpness, never the scene, when frames are slow: first the shadow's, the tubes' and some of the fibres, then the picture's.
const LEVELS = [
  { shadow: 2048, resolution: 1, vertices: 260000, fibres: 450000 },
  { shadow: 1024, resolution: 1, vertices: 60000, fibres: 200000 },
  { shadow: 1024, resolution: 0.8, vertices: 30000, fibres: 100000 },
  { shadow: 512, resolution: 0.65, vertices: 15000, fibres: 50000 },
];
const SLOW = 55; // ms between pictures, as a running mean

export class Quality {
  private level: number;
  private mean = 16;
  private since = 0; // pictures at this level

  constructor(software: boolean) { this.level = software ? 1 : 0; } // drawn by the processor: begin lower

  get shadow(): number { return LEVELS[this.level].shadow; }
  get resolution(): number { return LEVELS[this.level].resolution; }
  get vertices(): number { return LEVELS[this.level].vertices; } // of rods
  get fibres(): number { return LEVELS[this.level].fibres; } // vertices of fibres
  get bestShadow(): number { return LEVELS[0].shadow; } // for pictures
  get bestVertices(): number { return LEVELS[0].vertices; }
  get bestFibres(): number { return LEVELS[0].fibres; }

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
