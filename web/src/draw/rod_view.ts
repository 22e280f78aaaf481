// The drawing of one or more runs into one canvas. Knows descriptions and frames, nothing of sockets, panels or time.
import type { Description, FrameData, Vec3 } from "../protocol";

export type Colouring = "curvature" | "twist" | "tension" | "moment" | "contact" | "none";

export interface Look {
  colouring: Colouring;
  thickness: number; // times the true section
  frames: boolean; // material frames as small arrows
  contacts: boolean; // contact normals and forces
  dark: boolean;
}
export interface Picked {
  run: number;
  rod: number; // or -1
  body: number; // or -1
  material: number; // arc length in the rest rod [m]
  position: Vec3; // absolute [m]
}
export interface Legend { title: string; unit: string; low: number; high: number; colours: string[] } // colours: CSS, low to high
export interface Room { left: number; right: number; top: number; bottom: number } // of the picture, in fractions from its upper left corner
export interface Camera { position: Vec3; target: Vec3 }

export interface RodView {
  setRuns(runs: Description[]): void; // several are overlaid, told apart by tint
  show(run: number, frame: FrameData): void; // cheap: copies into textures
  alongside(frames: FrameData[]): void; // drawn elsewhere: the range of colours takes their values in, so that colours compare
  setLook(look: Look): void;
  legend(): Legend | null; // null: nothing is coloured; the range follows what is shown, smoothly
  pick(x: number, y: number): Picked | null; // CSS pixels within the canvas
  // Where the mouse is in space when it drags a point: on the plane through `through` that faces the camera.
  dragPoint(x: number, y: number, through: Vec3): Vec3;
  camera(): Camera;
  setCamera(camera: Camera): void;
  onCamera(changed: (camera: Camera) => void): void; // by the mouse
  enableOrbit(on: boolean): void; // off while a point is dragged
  // The whole scene in one of the rooms, with the points where it is known to go (absolute, [m]). `begins`: with room to swing, as at the start.
  fit(rooms?: Room[], motion?: Vec3[], begins?: boolean): void;
  project(point: Vec3): { x: number; y: number }; // absolute point -> CSS pixels, for tests and labels
  aboveGround(point: Vec3): number; // [m], along up
  inside(point: Vec3): boolean; // it is in the picture, hidden or not
  drawnEdges(run: number): number; // in the last picture, for tests
  drawnFibres(run: number): number; // the same
  fibres(run: number, count: number, direct: boolean): Float32Array; // where the shader puts the points of the first fibres, less the origin [m]; for tests
  perMetre(): number; // CSS pixels of a metre, as deep as the point that the view turns about
  resize(): void;
  draw(): void;
  picture(width: number, height: number, overlay?: (context: CanvasRenderingContext2D) => void): Promise<Blob>; // PNG
  dispose(): void;
}
export { TINTS } from "./rod_batch"; // of overlaid runs: pale half, full half
export { makeRodView } from "./make_rod_view";
