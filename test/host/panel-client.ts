/** A browser's side of the panel's WebSocket, for tests. */
import { once, EventEmitter } from "node:events";
import { WebSocket } from "ws";

export class PanelClient {
  readonly texts: string[] = [];
  readonly binary: Buffer[] = [];
  readonly events = new EventEmitter();
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | null = null;

  constructor(port: number, token: string, viewer: string, box = "local") {
    this.socket = new WebSocket(
      `ws://127.0.0.1:${port}/api/boxes/${box}/displays/device?viewer=${viewer}`,
      ["bb.panel", `bb.token.${token}`],
      {
        origin: `http://127.0.0.1:${port}`,
        perMessageDeflate: false,
      },
    );
    this.socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.binary.push(data);
      else this.texts.push(data.toString());
      this.events.emit("any");
    });
    this.socket.on("error", () => {});
    this.socket.once("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.events.emit("any");
    });
  }

  send(text: string): void {
    this.socket.send(text);
  }

  request(body: object): void {
    this.send(`BB_DEVICE ${JSON.stringify(body)}`);
  }

  /** Resolves once this holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.events, "any");
  }

  /** The first text that begins so, past or to come, taken out. */
  async next(beginning: string): Promise<string> {
    await this.until(() => this.texts.some((text) => text.startsWith(beginning)));
    const index = this.texts.findIndex((text) => text.startsWith(beginning));
    return this.texts.splice(index, 1)[0] ?? "";
  }

  /** The next BB_CONTROL's holder. */
  async holder(): Promise<string> {
    return (JSON.parse((await this.next("BB_CONTROL ")).slice(11)) as { holder: string }).holder;
  }

  async answer(id: string): Promise<{ ok: boolean; error?: { code: string; words: string } }> {
    return JSON.parse((await this.next(`BB_DEVICE_ANSWER {"id":"${id}"`)).slice(17)) as {
      ok: boolean;
      error?: { code: string; words: string };
    };
  }

  async end(): Promise<{ code: number; reason: string }> {
    await this.until(() => this.closed !== null);
    return this.closed ?? { code: 0, reason: "" };
  }
}
