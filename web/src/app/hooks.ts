// window.tendril: what the tests ask the page. Nothing here changes anything.
import type { FrameData, Vec3 } from "../protocol";
import type { Live } from "./live";
import type { Replay } from "./replay";

type Page = { live: Live } | { replay: Replay };

function latest(page: Page, run: number): { frame: FrameData; origin: Vec3 } | null {
  if ("live" in page) {
    const { frame, description } = page.live;
    return frame && description ? { frame, origin: description.origin } : null;
  }
  const one = page.replay.runs[run]!;
  return { frame: one.frame(one.indexAt(page.replay.time)), origin: one.description.origin };
}

export function exposeHooks(page: Page): void {
  const stage = "live" in page ? page.live.stage : page.replay.stage;
  const point = (node: number, rod = 0, run = 0): Vec3 | null => {
    const now = latest(page, run);
    if (!now) return null;
    const first = now.frame.rods.slice(0, rod).reduce((sum, span) => sum + span.nodes, 0);
    const at = 3 * (first + (node < 0 ? now.frame.rods[rod]!.nodes + node : node));
    return [0, 1, 2].map((k) => now.frame.positions[at + k]! + now.origin[k]!) as Vec3;
  };
  const hooks = {
    mode: "live" in page ? "live" : "replay",
    time: (run = 0) => latest(page, run)?.frame.time ?? null,
    step: (run = 0) => latest(page, run)?.frame.step ?? null,
    nodes: (rod = 0, run = 0) => latest(page, run)?.frame.rods[rod]?.nodes ?? 0,
    drawnEdges: (run = 0) => stage.panes[stage.panes.length > 1 ? run : 0]!.view.drawnEdges(stage.panes.length > 1 ? 0 : run),
    drawnFibres: (run = 0) => stage.panes[stage.panes.length > 1 ? run : 0]!.view.drawnFibres(stage.panes.length > 1 ? 0 : run),
    fibres: (count: number, direct = false, run = 0) => { // absolute [m], three numbers a point, as the shader finds them
      const now = latest(page, run), found = stage.panes[stage.panes.length > 1 ? run : 0]!.view.fibres(stage.panes.length > 1 ? 0 : run, count, direct);
      return now ? Array.from(found, (x, k) => x + now.origin[k % 3]!) : [];
    },
    point, // absolute [m]; negative nodes count from the end
    pixel: (node: number, rod = 0, run = 0) => { const at = point(node, rod, run); return at && stage.pixel(run, at); }, // of the window
    pixels: (rod = 0, run = 0) => Array.from({ length: latest(page, run)?.frame.rods[rod]?.nodes ?? 0 }, (_, node) => stage.pixel(run, point(node, rod, run)!)),
    project: (at: Vec3, run = 0) => stage.pixel(run, at),
    aboveGround: (node: number, rod = 0, run = 0) => { const at = point(node, rod, run); return at && stage.panes[stage.panes.length > 1 ? run : 0]!.view.aboveGround(at); }, // of the drawing [m]
    body: (index = 0, run = 0) => { const now = latest(page, run); return now && 7 * index < now.frame.bodies.length ? [0, 1, 2].map((k) => now.frame.bodies[7 * index + k]! + now.origin[k]!) : null; },
    contacts: (run = 0) => { const now = latest(page, run); return now ? Array.from({ length: now.frame.contacts.length / 10 }, (_, c) => [...now.frame.contacts.slice(10 * c, 10 * c + 10)].map((x, k) => x + (k < 3 ? now.origin[k]! : 0))) : []; }, // absolute place, normal, force, gap
    value: (group: string, name: string) => {
      if (!("live" in page)) return null;
      const index = page.live.description?.values.findIndex((value) => value.group === group && value.name === name) ?? -1;
      return page.live.frame?.values[index] ?? null;
    },
    counts: () => ("live" in page ? { ...page.live.socket.counts } : null),
    state: () => ("live" in page ? page.live.socket.state : null),
    status: () => ("live" in page ? page.live.status : null),
    description: (run = 0) => ("live" in page ? page.live.description : page.replay.runs[run]!.description),
    plotted: () => ("live" in page ? page.live : page.replay).plots.shownData(),
    camera: (pane = 0) => stage.panes[pane]?.view.camera() ?? null,
    panes: () => stage.panes.length,
  };
  Object.defineProperty(window, "tendril", { value: Object.freeze(hooks) });
}
