// How the rods look: colouring, thickness, frames, contacts.
import type { Colouring } from "../draw/rod_view";
import { colourings } from "./address";
import { el, setText } from "./dom";
import type { Stage } from "./stage";

const names: Record<Colouring, string> = {
  twist: "Twist", curvature: "Curvature", tension: "Tension", moment: "Moment", contact: "Contact force", none: "None (two-tone)",
};

export function lookPanel(stage: Stage): HTMLElement {
  const colour = el("select", { "aria-label": "Colouring", onchange: () => stage.setLook({ colouring: colour.value as Colouring }) },
    ...colourings.map((name) => el("option", { value: name }, names[name])));
  colour.value = stage.look.colouring;

  const shown = el("output", { class: "value" }, "1\u00d7");
  const thickness = el("input", {
    type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Thickness",
    oninput: () => setThickness(), ondblclick: () => { thickness.value = "0"; setThickness(); }, title: "double click: true thickness",
  });
  const setThickness = (): void => {
    const times = Math.pow(10, Number(thickness.value)); // 1 to 10
    setText(shown, `${times < 9.95 ? times.toFixed(1).replace(".0", "") : "10"}\u00d7`);
    stage.setLook({ thickness: times });
  };
  const check = (label: string, on: boolean, act: (on: boolean) => void): HTMLElement => {
    const box = el("input", { type: "checkbox", checked: on, onchange: () => act(box.checked) });
    return el("label", { class: "check" }, box, label);
  };
  return el("section", { class: "group", "aria-label": "Look" },
    el("h2", {}, "Look"),
    el("label", { class: "row" }, el("span", { class: "name" }, "Colour"), colour),
    el("label", { class: "row" }, el("span", { class: "name" }, "Thickness"), thickness, shown),
    el("div", { class: "checks" },
      check("Frames", stage.look.frames, (frames) => stage.setLook({ frames })),
      check("Contacts", stage.look.contacts, (contacts) => stage.setLook({ contacts }))));
}
