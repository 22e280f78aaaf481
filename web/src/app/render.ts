// Picture after picture for `tendril render`: each is drawn, overlaid with title, time and legend, and sent to the program.
import type { Legend } from "../draw/rod_view";
import type { Words } from "./address";
import { short } from "./dom";
import type { Replay } from "./replay";
import { cssColour } from "./theme";
import { titlesOf } from "./titles";

type Render = NonNullable<Words["render"]>;

async function post(path: string, body: Blob | string): Promise<void> {
  const answer = await fetch(new URL(path, location.href.replace(/#.*/, "")), { method: "POST", body });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status}`);
}

const letters = (width: number, height: number): number => Math.max(10, Math.min(width, height) / 36); // their height
// What title, time and legend take of the height.
const written = (width: number, height: number, legend: boolean): { top: number; bottom: number } =>
  ({ top: (2.6 * letters(width, height)) / height, bottom: ((legend ? 4.2 : 2.6) * letters(width, height)) / height });

function paint(context: CanvasRenderingContext2D, width: number, height: number, replay: Replay, title: string, legend: Legend | null, ends: boolean): void {
  const unit = letters(width, height);
  const margin = 1.2 * unit;
  context.save();
  context.fillStyle = cssColour("--ink");
  context.textBaseline = "alphabetic";
  context.font = `600 ${1.15 * unit}px ${cssColour("--font")}`;
  context.fillText(title, margin, margin + unit);
  context.font = `${unit}px ${cssColour("--font")}`;
  if (ends) {
    context.textAlign = "right";
    context.fillText(replay.clockText().replace(/\u2009/g, " "), width - margin, height - margin);
  }
  if (legend) {
    const wide = 14 * unit, high = 0.6 * unit, x = margin, y = height - margin - 1.2 * unit;
    const fade = context.createLinearGradient(x, 0, x + wide, 0);
    legend.colours.forEach((colour, k) => fade.addColorStop(legend.colours.length > 1 ? k / (legend.colours.length - 1) : 0, colour));
    context.textAlign = "left";
    context.fillText(legend.unit ? `${legend.title} [${legend.unit}]` : legend.title, x, y - 0.5 * unit);
    context.fillText(short(legend.low, 2), x, height - margin + 0.4 * unit);
    context.textAlign = "right";
    context.fillText(short(legend.high, 2), x + wide, height - margin + 0.4 * unit);
    context.fillStyle = fade;
    context.fillRect(x, y, wide, high);
  }
  context.restore();
}

async function pictureOf(replay: Replay, { width, height }: Render, plain: boolean): Promise<Blob> {
  const { panes } = replay.stage;
  const share = Math.floor(width / panes.length);
  const titles = titlesOf(replay.runs, panes.length);
  const parts: Blob[] = [];
  for (const [k, { view }] of panes.entries())
    parts.push(await view.picture(share, height, (context) => {
      if (!plain) paint(context, share, height, replay, titles[k]!, view.legend(), k === panes.length - 1);
    }));
  if (parts.length === 1) return parts[0]!;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  for (const [k, part] of parts.entries()) context.drawImage(await createImageBitmap(part), k * share, 0);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}

export async function renderAll(replay: Replay, render: Render, plain: boolean): Promise<void> {
  try {
    replay.hidePanels();
    Object.assign(replay.stage.element.style, { inset: "auto", left: "0", top: "0", width: `${render.width}px`, height: `${render.height}px` });
    for (const pane of replay.stage.panes) pane.view.resize();
    const to = Math.min(render.to, Math.max(replay.end, render.from));
    const count = 1 + Math.max(0, Math.floor((to - render.from) * render.fps + 1e-6));
    if (count === 1) { // a picture shows one moment: the motion needs no room
      replay.stage.motion = () => [];
      replay.seek(render.from);
    }
    if (!plain) replay.stage.reserved = written(render.width / replay.stage.panes.length, render.height, replay.stage.look.colouring !== "none");
    if (!/camera=/.test(location.hash)) replay.stage.fit();
    for (let k = 0; k < count; k++) {
      replay.seek(render.from + k / render.fps);
      await post(`picture/${k}`, await pictureOf(replay, render, plain));
    }
    await post("done", "");
  } catch (problem) {
    await post("failed", problem instanceof Error ? problem.message : String(problem)).catch(() => {});
    throw problem;
  }
}
