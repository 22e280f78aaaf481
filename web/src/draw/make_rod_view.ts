import { Scene, WebGLRenderer, PerspectiveCamera } from "three";
import type { Camera, RodView } from "./rod_view";

// Foundation only: a canvas that clears. The drawing follows.
export function makeRodView(canvas: HTMLCanvasElement): RodView {
  const renderer = new WebGLRenderer({ canvas, antialias: true });
  const scene = new Scene();
  const eye = new PerspectiveCamera();
  let camera: Camera = { position: [1, -1, 1], target: [0, 0, 0] };
  return {
    setRuns() {},
    show() {},
    setLook() {},
    legend: () => null,
    pick: () => null,
    dragPoint: (_x, _y, through) => through,
    camera: () => camera,
    setCamera(next) { camera = next; },
    onCamera() {},
    enableOrbit() {},
    fit() {},
    project: () => ({ x: 0, y: 0 }),
    resize() {},
    draw() { renderer.render(scene, eye); },
    picture: () => new Promise((done) => canvas.toBlob((blob) => done(blob!), "image/png")),
    dispose() { renderer.dispose(); },
  };
}
