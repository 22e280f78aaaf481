// The connection to the program: comes back by itself, and says how it stands.
import type { FrameData, ToPage, ToProgram } from "../protocol";
import { decodeFrame } from "./decode";

export type SocketState = "connecting" | "connected" | "lost";

export class Socket {
  readonly counts = { frames: 0, texts: 0, bad: 0 };
  state: SocketState = "connecting";
  private socket: WebSocket | null = null;
  private wait = 250; // ms until the next try

  constructor(
    private readonly address: string,
    private readonly on: { message(message: ToPage): void; frame(frame: FrameData): void; state(state: SocketState): void },
  ) {
    this.connect();
  }

  send(message: ToProgram): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private setState(state: SocketState): void {
    this.state = state;
    this.on.state(state);
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.setState("connected");
    };
    socket.onclose = () => {
      this.setState("lost");
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      try {
        if (typeof event.data === "string") {
          this.counts.texts++;
          this.on.message(JSON.parse(event.data) as ToPage);
        } else {
          this.counts.frames++;
          this.on.frame(decodeFrame(new Uint8Array(event.data)));
        }
      } catch (problem) {
        this.counts.bad++;
        console.error("a message of the program was not understood:", problem);
      }
    };
    this.socket = socket;
  }
}

export function socketAddress(page: string): string {
  const address = new URL("ws", page);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}
