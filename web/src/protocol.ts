// What the program and the page say to each other: docs/view.md, as types.

export type Vec3 = [number, number, number];

export interface Section {
  kind: "circle" | "ellipse" | "rectangle";
  a: number[]; // half size along d1 [m]: one number, or one per edge
  b: number[]; // along d2
}
export interface RodDescription {
  name: string;
  ring: boolean;
  nodes: number;
  edges: number;
  length: number;
  section: Section;
  material: number[];
}
export interface ClampDescription { name: string; rod: number; material: number; hold: string[]; from?: number; until?: number }
export interface CouplingDescription { name: string; rod: number; material: number }
export interface InputDescription {
  name: string;
  label: string;
  kind: "number" | "vector" | "switch";
  unit: string;
  low: number | Vec3; // of a vector: one for all of its axes, or one each; where low and high are the same it does not move
  high: number | Vec3;
  value: number | Vec3;
}
export interface ValueDescription { name: string; unit: string; group: "energy" | "balance" | "twist" | "solver" | "probe" }
export type Shape =
  | { box: { size: Vec3 } }
  | { sphere: { radius: number } }
  | { cylinder: { radius: number; length: number } }
  | { capsule: { radius: number; length: number } }
  | { plane: { normal: Vec3 } }
  | { mesh: { vertices: number[]; triangles: number[] } };
export interface BodyDescription { name: string; shape: Shape }
export interface ObstacleDescription { name: string; shape: Shape; moves: boolean; pose: number[] }

export interface TressDescription {
  name: string;
  guides: number[]; // rods
  near?: [number, number][]; // of each guide the two nearest, as places in `guides`; none: fibres follow one guide
  fibres: number; // of each guide
  points: number;
  spread: number; // [m]
  tip_spread: number;
  radius: number; // [m]; 0: the guide's
  seed: number;
}

export interface Description {
  generation: number;
  name: string;
  title: string;
  about: string;
  method: string;
  mode: "dynamics" | "statics" | "quasistatic";
  methods: { name: string; problems: string[] }[];
  step: number;
  stable_step?: number; // [s]; none: any step is stable
  duration: number;
  frames_per_second: number;
  origin: Vec3;
  low: Vec3;
  high: Vec3;
  gravity: Vec3;
  rods: RodDescription[];
  clamps: ClampDescription[];
  couplings: CouplingDescription[];
  inputs: InputDescription[];
  values: ValueDescription[];
  bodies: BodyDescription[];
  obstacles: ObstacleDescription[];
  tresses?: TressDescription[];
  sections?: { from: number; to: number; label: string }[]; // of the timeline of a saved run: one natural mode after the other
}

export interface FrameData {
  generation: number;
  time: number;
  step: number;
  rods: { nodes: number; edges: number }[];
  values: Float64Array;
  positions: Float32Array; // 3 per node, less the origin
  material: Float32Array | null;
  orientations: Int16Array; // 4 per edge: x, y, z, w times 32767
  curvature: Float32Array; // per edge
  twist: Float32Array;
  tension: Float32Array;
  moment: Float32Array;
  contact: Float32Array | null;
  bodies: Float32Array; // 7 each
  obstacles: Float32Array; // 7 each, the moving ones
  contacts: Float32Array; // 10 each
  hands: Float32Array; // 9 each: where it is, where what it holds is, force on that
}

export interface SceneEntry { name: string; title: string; about: string; method: string }
export interface MethodEntry { name: string; title: string; summary: string }

export interface Status {
  generation: number;
  paused: boolean;
  finished: boolean;
  failed: boolean;
  message: string;
  speed: number;
  achieved: number;
  slow: boolean;
  recording: string | null;
  recorded: string | null;
  inputs: Record<string, number | Vec3>;
  clients: number;
  dropped: number;
  suspect?: string | null; // why its results must not be trusted
  retries?: number; // steps that failed and were taken again, shorter
  energy_error?: number | null; // what is missing (< 0) or too much in the energy balance, as a fraction; null: no balance
}

export type ToPage =
  | { say: "welcome"; version: string; scenes: SceneEntry[]; methods: MethodEntry[] }
  | ({ say: "scene" } & Description)
  | { say: "gallery" }
  | { say: "problems"; scene: string; problems: string[] }
  | ({ say: "status" } & Status);

export type ToProgram =
  | { do: "open"; scene: string; method?: string; step?: number | "auto" }
  | { do: "play" | "pause" | "step" | "restart" | "close" }
  | { do: "speed"; value: number }
  | { do: "input"; name: string; value: number | Vec3 }
  | { do: "grab"; hand: number; rod?: number; material?: number; body?: number; position: Vec3 }
  | { do: "move"; hand: number; position: Vec3 }
  | { do: "release"; hand: number }
  | { do: "record"; on: boolean };

export interface SavedRun {
  label: string;
  description: Description;
  frames: number; // kept
  recorded: number; // of so many
  every: number; // one in
  rows: number;
  outcome: string;
  message: string;
}
export interface SavedRuns { runs: SavedRun[] }
