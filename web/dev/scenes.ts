import type { Vec3 } from "../src/protocol";
import { circle, scene, type MadeUp } from "./made_up";

const { PI, cos, sin } = Math;

export const SCENES: Record<string, () => MadeUp> = {
  ribbon: () => scene("ribbon", [
    { name: "strip", edges: 60, section: { kind: "rectangle", a: [0.04], b: [0.004] }, turns: 1.5, curve: (s, t) => [1.2 * s, 0, 0.12 * sin(2 * PI * s) * (1 + 0.2 * sin(t))] },
  ], { clamps: [{ name: "left", rod: 0, material: 0, hold: ["position", "direction", "twist"] }, { name: "right", rod: 0, material: Infinity, hold: ["position", "direction", "twist"] }] }),
  helix: () => scene("helix", [
    { name: "helix", edges: 120, section: circle(0.012), turns: 6, curve: (s, t) => [0.25 * cos(8 * PI * s + 0.2 * t), 0.25 * sin(8 * PI * s + 0.2 * t), 0.8 * s] },
  ], { clamps: [{ name: "foot", rod: 0, material: 0, hold: ["position", "direction", "twist"] }], couplings: [] }, (_t, f) => {
    const n = 3 * 120;
    f.hands = new Float32Array([f.positions[n] + 0.25, f.positions[n + 1] - 0.1, f.positions[n + 2] + 0.2, f.positions[n], f.positions[n + 1], f.positions[n + 2], 0.5, -0.2, 0.4]);
  }),
  knot: () => scene("knot", [
    { name: "trefoil", ring: true, edges: 90, section: circle(0.045), turns: 8, curve: (s) => {
      const a = 2 * PI * s;
      return [0.2 * (sin(a) + 2 * sin(2 * a)), 0.2 * (cos(a) - 2 * cos(2 * a)), -0.2 * sin(3 * a)] as Vec3;
    } },
  ]),
  coil: () => scene("coil", [
    { name: "coil", edges: 10000, section: circle(0.004), turns: 300, waves: 10, curve: (s, t) => {
      const a = 2 * PI * 100 * s, r = 0.28 + 0.06 * sin(7 * PI * s + t);
      return [r * cos(a), r * sin(a), 1.1 * s];
    } },
  ]),
  hairs: () => scene("hairs", Array.from({ length: 800 }, (_, i) => {
    const u = (i + 0.5) / 800, elevation = Math.acos(1 - 0.9 * u), azimuth = i * 2.399963, wild = sin(i * 12.9898) * 0.5;
    return { name: `hair${i}`, edges: 20, section: circle(0.00005), turns: 1, curve: (s: number, t: number): Vec3 => {
      const r = 0.1, out = sin(elevation), h = cos(elevation);
      const l = 0.22 * s, sway = 0.012 * s * s * sin(t + 5 * u);
      const x = (r + l * (1 - 0.55 * s)) * out + 0.01 * wild * s;
      return [x * cos(azimuth + 0.4 * wild * s) + sway, x * sin(azimuth + 0.4 * wild * s), (r + 0.5 * l * (1 - s)) * h - 0.16 * s * s];
    } };
  }), { obstacles: [{ name: "head", shape: { sphere: { radius: 0.0985 } }, moves: false, pose: [0, 0, 0, 0, 0, 0, 1] }] }),
  ring: () => scene("ring", [
    { name: "ring", ring: true, edges: 16, section: { kind: "ellipse", a: [0.03], b: [0.015] }, turns: 1, curve: (s) => [0.4 * cos(2 * PI * s), 0.4 * sin(2 * PI * s), 0] },
  ]),
  crane: () => scene("crane", [
    { name: "cable", edges: 60, section: circle(0.03), turns: 0, curve: (s, t) => [3 * s * s * 0.2 * sin(t), 0, 8 - 6 * s] },
    { name: "guy", edges: 40, section: circle(0.03), turns: 3, curve: (s) => [-4 * s, 2 * s, 8 - 8 * s - 3 * s * (1 - s)] },
  ], {
    bodies: [{ name: "load", shape: { box: { size: [1.2, 1.2, 0.8] } } }, { name: "ball", shape: { sphere: { radius: 0.5 } } }, { name: "drum", shape: { cylinder: { radius: 0.4, length: 1.6 } } }, { name: "pill", shape: { capsule: { radius: 0.3, length: 1 } } }],
    obstacles: [{ name: "floor", shape: { plane: { normal: [0, 0, 1] } }, moves: false, pose: [0, 0, 0, 0, 0, 0, 1] }],
    clamps: [{ name: "top", rod: 0, material: 0, hold: ["position"] }, { name: "anchor", rod: 1, material: Infinity, hold: ["position", "direction", "twist"] }, { name: "middle", rod: 1, material: 5, hold: ["position", "direction"] }],
  }, (_t, f) => {
    f.bodies = new Float32Array([0, 0, 1.6, 0, 0, 0.2, 0.98, 2, -1, 0.5, 0, 0, 0, 1, -2, -1.5, 0.4, 0.7, 0, 0, 0.7, 2, 1.4, 0.8, 0, 0, 0, 1]);
    f.contacts = new Float32Array([2, -1, 0, 0, 0, 1, 0.5, 0, 9, 0, -2, -1.5, 0, 0, 0, 1, 0, 0, 4, 0]);
  }),
  tiny: () => scene("tiny", [
    { name: "fibre", edges: 80, section: circle(2e-7), turns: 4, curve: (s) => [2e-5 * s, 4e-6 * sin(7 * s), 3e-6 * cos(9 * s)] },
  ], { gravity: [0, 0, 0] }),
  elastica: () => scene("elastica", [
    { name: "beam", edges: 24, section: { kind: "rectangle", a: [0.02], b: [0.02] }, curve: (s, t) => [1.0 * s * (1 - 0.1 * s), 0, -0.35 * s * s * (1 + 0.3 * sin(t))] },
  ], { mode: "dynamics", clamps: [{ name: "wall", rod: 0, material: 0, hold: ["position", "direction", "twist"] }] }),
  // 10000 fibres of 40 points: what a picture of a tress may cost (dev/bench.mjs "scene=tress").
  tress: () => scene("tress", Array.from({ length: 40 }, (_, i) => ({ name: `guide${i}`, edges: 50, section: circle(0.00002), turns: 0, curve: (s: number, t: number): Vec3 => {
    const a = i * 2.399963, r = 0.012 * Math.sqrt(i / 40), curl = 0.02 * (1 - 0.5 * s);
    return [r * cos(a) + curl * (cos(14 * s) - 1) + 0.03 * s * s * sin(t), r * sin(a) + curl * sin(14 * s), -0.22 * s];
  } })), { tresses: [{ name: "hair", guides: Array.from({ length: 40 }, (_, i) => i), fibres: 250, points: 40, spread: 0.006, tip_spread: 0.004, radius: 0, seed: 1 }] }),
};
