// The live view: the gallery, or one scene that runs in the program.
import type { Description, FrameData, Status, ToPage, ToProgram } from "../protocol";
import type { Words } from "./address";
import { el, iconButton, listenToKeys, perFrame, seconds, setHidden, setIcon, setText, short } from "./dom";
import { Gallery } from "./gallery";
import { Hands } from "./hand";
import { History } from "./history";
import { Inputs } from "./inputs";
import { lookPanel } from "./look_panel";
import { Menus } from "./menus";
import { helpButton, helpDialog, Notices, toggleDialog } from "./notices";
import { Plots } from "./plots";
import { Socket, socketAddress, type SocketState } from "./socket";
import { Stage } from "./stage";
import { toggleTheme } from "./theme";

const worstEnergyError = 0.05; // beyond it a run is suspect
const fineTurn = 0.02, coarseTurn = 0.25; // turns per key

export class Live {
  readonly stage: Stage;
  readonly plots = new Plots();
  readonly history = new History();
  description: Description | null = null;
  status: Status | null = null;
  frame: FrameData | null = null; // the newest
  readonly socket: Socket;

  private readonly send = (message: ToProgram): void => this.socket.send(message);
  private readonly gallery = new Gallery((scene) => this.send({ do: "open", scene }));
  private readonly inputs = new Inputs(this.send);
  private readonly menus = new Menus(this.send);
  private readonly notices = new Notices();
  private readonly hands: Hands;
  private readonly title = el("h1");
  private readonly about = el("p", { class: "about" });
  private readonly playButton = iconButton("pause", "Pause", "space", () => this.togglePlay());
  private readonly recordButton = iconButton("record", "Record", "", () => this.send({ do: "record", on: !this.status?.recording }));
  private readonly speed = el("input", { type: "range", min: -3, max: 2, step: 0.05, value: 0, list: "speeds", "aria-label": "Speed", title: "simulated seconds per second; double click: 1" });
  private readonly speedText = el("output", { class: "value wide" }, "1\u00d7");
  private readonly time = el("output", { class: "time", "aria-label": "Time" });
  private readonly state = el("output", { class: "state", "aria-label": "Status" });
  private readonly energy = el("output", { class: "energy", "aria-label": "Energy error", hidden: true, title: "energy that appeared (+) or vanished (\u2212) without work, damping or friction to account for it, as a part of the energy that moved" });
  private readonly connection = el("div", { class: "connection", role: "status" }, "Connecting \u2026");
  private readonly side = el("aside", { class: "side panel", "aria-label": "Controls" });
  private readonly bar = el("div", { class: "bar panel", role: "toolbar", "aria-label": "Playing" });
  private readonly page: HTMLElement;
  private readonly help = helpDialog([
    ["space", "play or pause"], [".", "one step"], ["r", "start again at t = 0"], ["[ ]", "turn, run or move what is selected (also \u2190 \u2192; with shift more)"],
    ["\u2191 \u2193", "select another input"], ["f", "fit the scene into the picture"], ["p", "plots"], ["t", "light or dark"], ["h", "this help"],
  ], [["drag", "on a rod: pull it; elsewhere: turn the view"], ["right-drag", "move the view"], ["wheel", "zoom"], ["double-click", "on a slider: back to the start"]]);

  private drawn: FrameData | null = null;
  private plottedAt = 0;
  private speedUsedAt = 0;
  private toldFolder: string | null = null; // of the last finished recording the user was told of

  constructor(root: HTMLElement, words: Words) {
    this.stage = new Stage(words);
    this.stage.follows = true;
    this.hands = new Hands(this.stage, this.send);
    this.page = this.layOut(words.plain);
    root.append(this.gallery.element, this.page, this.notices.element, this.connection, this.help);
    this.showPage(false);
    setHidden(this.gallery.element, true); // until the program says what there is
    this.stage.onDraw = () => this.draw();
    this.speed.addEventListener("input", () => this.chooseSpeed(10 ** Number(this.speed.value)));
    this.speed.addEventListener("dblclick", () => this.chooseSpeed(1));
    this.listen();
    this.socket = new Socket(socketAddress(location.href), {
      message: (message) => this.hear(message),
      frame: (frame) => this.take(frame),
      state: (state) => this.showConnection(state),
    });
  }

  private layOut(plain: boolean): HTMLElement {
    const head = el("header", { class: "head panel" },
      el("div", { class: "title-row" }, iconButton("back", "All scenes", "", () => this.send({ do: "close" })), this.title), this.about, this.menus.element);
    this.side.append(lookPanel(this.stage), this.inputs.element);
    const panelButton = iconButton("panel", "Controls", "", () => this.page.classList.toggle("show-side"));
    panelButton.classList.add("narrow-only");
    const bar = this.bar;
    bar.append(
      el("div", { class: "buttons" },
        iconButton("restart", "Restart", "r", () => this.send({ do: "restart" })), this.playButton,
        iconButton("step", "Single step", ".", () => this.send({ do: "step" })), this.recordButton),
      el("label", { class: "speed" }, el("span", { class: "name" }, "Speed"), this.speed, this.speedText),
      el("div", { class: "readings" }, this.time, this.energy, this.state),
      el("div", { class: "buttons end" }, panelButton, iconButton("plots", "Plots", "p", () => this.plots.toggle()), iconButton("fit", "Fit", "f", () => this.stage.fit()),
        iconButton("theme", "Light or dark", "t", toggleTheme), helpButton(this.help)));
    const foot = el("div", { class: "foot" }, this.plots.element, bar);
    this.stage.stayAbove(foot);
    return el("main", { class: `scene${plain ? " plain" : ""}`, "aria-label": "Scene" }, this.stage.element, head, this.side, foot);
  }

  private listen(): void {
    const turn = (sign: number) => (event: KeyboardEvent): void => this.inputs.turn(sign * (event.shiftKey ? coarseTurn : fineTurn));
    listenToKeys({
      " ": () => this.togglePlay(), ".": () => this.send({ do: "step" }), r: () => this.send({ do: "restart" }), f: () => this.stage.fit(), p: () => this.plots.toggle(),
      "[": turn(-1), "]": turn(1), "{": turn(-1), "}": turn(1), ArrowLeft: turn(-1), ArrowRight: turn(1),
      ArrowUp: () => this.inputs.select(-1), ArrowDown: () => this.inputs.select(1),
    }, () => this.description !== null);
    listenToKeys({ h: () => toggleDialog(this.help), "?": () => toggleDialog(this.help), t: toggleTheme }, () => true);
  }

  private togglePlay(): void {
    this.send({ do: this.status?.paused ? "play" : "pause" });
  }
  private chooseSpeed(wanted: number): void {
    const value = Math.abs(Math.log10(wanted)) < 0.04 ? 1 : Number(wanted.toPrecision(2));
    this.speedUsedAt = performance.now();
    this.speed.value = String(Math.log10(value));
    setText(this.speedText, `${short(value, 2)}\u00d7`);
    this.sendSpeed(value);
  }
  private readonly sendSpeed = perFrame((value: number) => this.send({ do: "speed", value }));

  private hear(message: ToPage): void {
    if (message.say === "welcome") {
      this.gallery.setScenes(message.scenes, message.version);
      this.menus.setLists(message.scenes, message.methods);
    } else if (message.say === "gallery") {
      this.description = null;
      this.menus.forget();
      this.hands.releaseAll();
      this.showPage(false);
    } else if (message.say === "scene") {
      this.openScene(message);
    } else if (message.say === "problems") {
      this.notices.clear("problems"); // the same problems again are told again
      this.notices.show("problems", "bad", `${message.scene} could not be opened`, message.problems);
      if (this.description) this.menus.refuse(this.description);
    } else if (message.say === "status") {
      this.showStatus(message);
    }
  }

  private openScene(description: Description): void {
    const same = this.description?.name === description.name;
    const camera = same ? this.stage.camera() : null, { untouched } = this.stage;
    this.description = description;
    this.frame = this.drawn = null;
    this.hands.releaseAll();
    this.notices.clearAll();
    this.showPage(true);
    this.stage.setRuns([description], "overlay");
    if (camera) this.stage.setCamera(camera, untouched);
    setText(this.title, description.title);
    setText(this.about, description.about);
    this.menus.setDescription(description);
    const weightless = description.gravity.every((part) => part === 0);
    this.inputs.setInputs(description.inputs.filter((input) => !(weightless && input.name === "gravity")));
    this.history.reset(description.values.length);
    this.plots.setValues([description.values], [this.history]);
  }
  private showPage(scene: boolean): void {
    setHidden(this.gallery.element, scene);
    setHidden(this.page, !scene);
    document.title = scene && this.description ? `${this.description.title} \u2013 tendril` : "tendril";
  }

  private take(frame: FrameData): void {
    if (frame.generation !== this.description?.generation) return; // of a scene that has been left
    this.frame = frame;
    this.history.push(frame.time, frame.values);
  }
  // Once per animation frame: the newest frame, however many have come.
  private draw(): void {
    const frame = this.frame;
    if (!frame || frame === this.drawn) return;
    this.drawn = frame;
    this.stage.show(0, frame);
    setText(this.time, `t = ${frame.time.toFixed(3)}\u2009s`);
    if (performance.now() - this.plottedAt < 120) return;
    this.plottedAt = performance.now();
    this.plots.update();
    this.plots.mark(frame.time);
  }

  private showStatus(status: Status): void {
    this.status = status;
    if (status.generation !== this.description?.generation) return;
    setIcon(this.playButton, status.paused ? "play" : "pause");
    this.playButton.setAttribute("aria-label", status.paused ? "Play" : "Pause");
    setIcon(this.recordButton, status.recording ? "stop" : "record");
    this.recordButton.classList.toggle("recording", !!status.recording);
    this.recordButton.setAttribute("aria-label", status.recording ? "Stop recording" : "Record");
    if (performance.now() - this.speedUsedAt > 800) {
      this.speed.value = String(Math.log10(status.speed));
      setText(this.speedText, `${short(status.speed, 2)}\u00d7`);
    }
    this.inputs.update(status.inputs);
    this.page.classList.toggle("slow", status.slow && !status.paused);
    setText(this.state, this.sentence(status));
    this.state.title = this.sentence(status);
    this.showTrust(status);
    this.showNotices(status);
  }
  // Whether the numbers can be trusted; what a program does not say is not shown.
  private showTrust({ suspect, energy_error: error }: Status): void {
    const known = typeof error === "number", bad = known && this.description!.mode === "dynamics" && Math.abs(error) > worstEnergyError; // equilibria jump: that is no error
    setHidden(this.energy, !known);
    if (known) setText(this.energy, `energy error ${Math.abs(error) < 5e-5 ? "0" : short(100 * error, 2)}\u2009%`);
    this.energy.classList.toggle("bad", bad);
    this.bar.classList.toggle("suspect", !!suspect || bad);
    if (suspect) this.notices.show("suspect", "bad", "Do not trust this simulation", [suspect]);
    else this.notices.clear("suspect");
  }
  private sentence(status: Status): string {
    const running = status.failed ? "stopped" : status.finished ? "finished" : status.paused ? "paused"
      : status.slow ? `slow: the solver reaches ${short(status.achieved, 2)}\u00d7` : `${short(status.achieved, 2)}\u00d7`;
    const others = status.clients > 1 ? `${status.clients} viewers` : "";
    const dropped = status.dropped ? `${status.dropped} bad messages` : "";
    const count = this.frame ? this.frame.step.toLocaleString("en") : 0, { mode, step } = this.description!;
    const steps = mode === "dynamics" ? `step ${count} of ${seconds(step)}` : `equilibrium ${count}`;
    const retries = status.retries ? `${status.retries.toLocaleString("en")} ${status.retries > 1 ? "retries" : "retry"}` : "";
    return [running, retries, steps, others, dropped].filter(Boolean).join(" \u00b7 ");
  }
  private showNotices(status: Status): void {
    if (status.failed) this.notices.show("failed", "bad", "The simulation stopped", [status.message], { label: "Start again", act: () => this.send({ do: "restart" }) });
    else this.notices.clear("failed");
    if (!status.failed && status.message) this.notices.show("message", "warn", status.message, []);
    else this.notices.clear("message");
    if (status.recording) this.notices.show("record", "info", "Recording", [`to ${status.recording}`]);
    else if (status.recorded && status.recorded !== this.toldFolder) {
      this.toldFolder = status.recorded;
      this.notices.show("record", "info", "Recorded", [status.recorded, `Look at it: tendril view ${status.recorded}`]);
    } else if (!status.recorded) this.notices.clear("record");
  }

  private showConnection(state: SocketState): void {
    if (state === "lost") this.hands.releaseAll();
    setText(this.connection, state === "lost" ? "The program does not answer. Trying again \u2026" : "Connecting \u2026");
    this.connection.classList.toggle("lost", state === "lost");
    setHidden(this.connection, state === "connected");
  }
}
