/** A box with a device server that can be killed, and the clients that talk to it, each with all it was told. */
import { Machine } from "#server/machine.ts";
import type { Connection, Hello } from "#server/listener.ts";
import type { Answer } from "#wire/device.ts";
import { Incarnation, World, diskOf, driverOf } from "./world.ts";

/** Lets everything that needs no time happen. */
export const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A client of the device socket, at the other end of a Connection. */
export class Client implements Connection {
  readonly id: number;
  readonly hello: Hello;
  readonly answers: Answer[] = [];
  open = true;
  closedWith: number | null = null;
  onText: (text: string) => void = () => undefined;
  onClose: () => void = () => undefined;
  readonly #life: Incarnation;
  readonly #heard: (text: string, client: Client) => void;

  constructor(id: number, hello: Hello, life: Incarnation, heard: (text: string, client: Client) => void) {
    this.id = id;
    this.hello = hello;
    this.#life = life;
    this.#heard = heard;
  }
  send(text: string): void {
    if (this.open && this.#life.alive) this.#heard(text, this);
  }
  sendBinary(): void {}
  bufferedBytes(): number {
    return 0;
  }
  close(code: number): void {
    this.closedWith = code;
    this.#end();
  }
  /** The client's own end, or the network's. */
  leave(): void {
    this.#end();
  }
  #end(): void {
    if (!this.open) return;
    this.open = false;
    queueMicrotask(() => {
      if (this.#life.alive) this.onClose();
    });
  }
}

export class Box {
  readonly world = new World();
  readonly #heard: (text: string, client: Client) => void;
  life: Incarnation;
  machine: Machine | null = null;
  clients: Client[] = [];
  #ids = 0;

  constructor(heard: (text: string, client: Client) => void) {
    this.#heard = heard;
    this.life = new Incarnation(this.world);
  }

  /** Starts a server; one that is killed as it starts leaves none. */
  async start(): Promise<void> {
    const life = new Incarnation(this.world);
    this.life = life;
    this.machine = null;
    life.killed = () => {
      for (const client of this.clients) client.open = false;
    };
    const home = { folder: "/home", socket: "/home/device.sock", run: "/home/run", release: () => undefined };
    const log = () => undefined;
    const factory: Parameters<typeof Machine.make>[0]["factory"] = (host) => driverOf(life, host);
    // A killed server's start never ends, so nobody waits for it.
    void Machine.make({ home, factory, files: diskOf(life), clock: life.clock, log, asked: null, libc: null }).then(
      (machine) => {
        if (!life.alive) return;
        this.machine = machine;
        void machine.start();
      },
      () => undefined,
    );
    await drain();
  }

  connect(hello: Hello): Client {
    const client = new Client(++this.#ids, hello, this.life, this.#heard);
    this.clients.push(client);
    if (this.life.alive) this.machine?.connected(client);
    return client;
  }

  say(client: Client, text: string): void {
    if (client.open && this.life.alive) client.onText(text);
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.world.nowMs + ms;
    await drain();
    while (this.life.alive && this.life.ring(untilMs)) await drain();
    this.world.nowMs = Math.max(this.world.nowMs, untilMs);
  }
}
