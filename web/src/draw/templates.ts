// The template of one edge: rings of a unit section along u = 0..1; and the caps of open ends.
import { BufferAttribute, InstancedBufferGeometry } from "three";

export interface Detail { rows: number; sides: number }

// What an edge looks like on the screen.
export interface Sight { edges: number; radius: number; length: number; turn: number } // pixels, pixels, radians of twist

// As many rows and sides as one can see, within a number of vertices; rows go first, sides second.
export function detailFor({ edges, radius, length, turn }: Sight, budget: number): Detail {
  const least = radius < 2 ? 4 : 6;
  let sides = radius < 1.5 ? 4 : radius < 4 ? 6 : radius < 9 ? 10 : radius < 24 ? 16 : radius < 80 ? 24 : 36;
  let rows = Math.min(20, Math.max(1, Math.ceil(length / 7), Math.ceil(turn / 0.45)));
  const over = () => edges * sides * (rows + 1) > budget;
  while (rows > 2 && over()) --rows;
  while (sides > least && over()) sides -= 2;
  if (over() && (turn < 0.7 || radius < 2)) rows = 1;
  return { rows, sides };
}
export const coarser = ({ rows, sides }: Detail): Detail => ({ rows: Math.ceil(rows / 2), sides: Math.max(4, Math.min(8, 2 * Math.floor(sides / 4))) });

interface Template { points: number[]; normals: number[]; index: number[] }
export interface Range { start: number; end: number } // of places in the list of segments

// One instance draws many segments, one after the other: instances of a few vertices each are slow on any machine.
export function repeated({ points, normals, index }: Template, { start, end }: Range): InstancedBufferGeometry {
  const vertices = points.length / 3;
  const many = Math.max(1, Math.min(end - start, Math.floor(16000 / vertices)));
  const where = new Float32Array(3 * many * vertices), order = new Uint16Array(many * index.length);
  for (let copy = 0; copy < many; ++copy) {
    for (let v = 0; v < vertices; ++v) where.set([start + copy, many, end], 3 * (copy * vertices + v));
    for (let i = 0; i < index.length; ++i) order[copy * index.length + i] = copy * vertices + index[i];
  }
  const again = (data: number[]) => {
    const all = new Float32Array(many * data.length);
    for (let copy = 0; copy < many; ++copy) all.set(data, copy * data.length);
    return new BufferAttribute(all, 3);
  };
  const made = new InstancedBufferGeometry();
  made.setAttribute("aPoint", again(points));
  made.setAttribute("aNormal", again(normals));
  made.setAttribute("aWhere", new BufferAttribute(where, 3));
  made.setIndex(new BufferAttribute(order, 1));
  made.instanceCount = Math.ceil((end - start) / many);
  return made;
}

export function roundTube({ rows, sides }: Detail): Template {
  const points: number[] = [], normals: number[] = [], index: number[] = [];
  for (let row = 0; row <= rows; ++row)
    for (let side = 0; side < sides; ++side) {
      const angle = (2 * Math.PI * side) / sides;
      points.push(Math.cos(angle), Math.sin(angle), row / rows);
      normals.push(Math.cos(angle), Math.sin(angle), 0);
      if (row === rows) continue;
      const here = row * sides + side, beside = row * sides + ((side + 1) % sides);
      index.push(here, beside, here + sides, beside, beside + sides, here + sides);
    }
  return { points, normals, index };
}

const CORNERS = [[1, -1], [1, 1], [-1, 1], [-1, -1]]; // counterclockwise about d3

export function rectangularTube({ rows }: Detail): Template {
  const points: number[] = [], normals: number[] = [], index: number[] = [];
  for (let face = 0; face < 4; ++face) {
    const from = CORNERS[face], to = CORNERS[(face + 1) % 4];
    const start = points.length / 3;
    for (let row = 0; row <= rows; ++row) {
      points.push(from[0], from[1], row / rows, to[0], to[1], row / rows);
      for (let twice = 0; twice < 2; ++twice) normals.push((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0);
      if (row === rows) continue;
      const here = start + 2 * row;
      index.push(here, here + 1, here + 2, here + 1, here + 3, here + 2);
    }
  }
  return { points, normals, index };
}

export function cap(round: boolean, sides: number, end: 0 | 1): Template {
  const rim = round ? Array.from({ length: sides }, (_, i) => [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)]) : CORNERS;
  const points = [0, 0, end], normals = [0, 0, end ? 1 : -1], index: number[] = [];
  rim.forEach(([x, y], i) => {
    points.push(x, y, end);
    normals.push(0, 0, end ? 1 : -1);
    const here = 1 + i, beside = 1 + ((i + 1) % rim.length);
    index.push(0, end ? here : beside, end ? beside : here);
  });
  return { points, normals, index };
}
