import { beforeEach, describe, expect, it } from "vitest";
import { encodeVideoHeader } from "#wire/frame.ts";
import type { Command, Link, PortListener, VideoUnit } from "#viewer/stream/port.ts";
import { type ProbeAnswer, type SocketLike, SocketPort, encodeCommand } from "#viewer/stream/socket-port.ts";
import { ManualClock, settle } from "../manual-clock.ts";

class FakeSocket implements SocketLike {
  binaryType = "blob";
  bufferedAmount = 0;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly sent: string[] = [];
  closed = false;
  readonly url: string;
  readonly protocols: string[];
  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
  }
  send(data: string): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
  opens(): void {
    this.onopen?.(new Event("open"));
  }
  says(data: unknown): void {
    this.onmessage?.({ data } as MessageEvent);
  }
  closes(code = 1006): void {
    this.onclose?.({ code } as CloseEvent);
  }
}

let clock: ManualClock;
let sockets: FakeSocket[];
let links: Link[];
let units: VideoUnit[];
let heard: string[];
let probe: ProbeAnswer;
let port: SocketPort;

function make(token: string | null = "secret"): SocketPort {
  const listener: PortListener = {
    link: (link) => links.push(link),
    hello: () => heard.push("hello"),
    state: () => heard.push("state"),
    control: ({ holder }) => heard.push(`control ${holder}`),
    latency: ({ medianMs }) => heard.push(`latency ${medianMs}`),
    touches: () => heard.push("touches"),
    unit: (unit) => units.push(unit),
    still: () => heard.push("still"),
    answer: ({ id }) => heard.push(`answer ${id}`),
    clipboard: (text) => heard.push(`clipboard ${text}`),
  };
  const made = new SocketPort({
    url: "ws://127.0.0.1/x",
    token,
    makeSocket: (url, protocols) => {
      const socket = new FakeSocket(url, protocols);
      sockets.push(socket);
      return socket;
    },
    probe: () => Promise.resolve(probe),
    now: clock.now,
    after: clock.after,
  });
  made.open(listener);
  clock.move(0);
  return made;
}

beforeEach(() => {
  clock = new ManualClock();
  sockets = [];
  links = [];
  units = [];
  heard = [];
  probe = "away";
  port = make();
});

const socket = (): FakeSocket => {
  const last = sockets[sockets.length - 1];
  if (last === undefined) throw new Error("no socket");
  return last;
};

describe("the socket port", () => {
  it("offers the panel's subprotocol and the token, never in the address", () => {
    expect(socket().protocols).toEqual(["bb.panel", "bb.token.secret"]);
    expect(socket().url).not.toContain("secret");
    expect(socket().binaryType).toBe("arraybuffer");
  });

  it("says that there is no token instead of knocking without one", () => {
    sockets.length = 0;
    links.length = 0;
    make(null);
    expect(sockets).toHaveLength(0);
    expect(links).toEqual([{ is: "refused", why: "no-token" }]);
  });

  it("tries again after 0.25, 0.5, 1, 2 and then every 4 seconds", async () => {
    socket().opens();
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      socket().closes();
      await settle();
      const link = links[links.length - 1];
      if (link?.is !== "lost" || link.retryAtMs === null) throw new Error("not waiting");
      waits.push(link.retryAtMs - clock.nowMs);
      clock.move(waits[round] ?? 0);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
    expect(sockets).toHaveLength(8);
  });

  it("starts the waits anew once a connection stood", async () => {
    for (let round = 0; round < 4; round += 1) {
      socket().closes();
      await settle();
      clock.move(4000);
    }
    socket().opens();
    socket().closes();
    expect(links[links.length - 1]).toEqual({ is: "lost", retryAtMs: clock.nowMs + 250 });
  });

  it("connects at once when asked, and not twice", () => {
    socket().opens();
    socket().closes();
    port.connectNow();
    port.connectNow();
    expect(sockets).toHaveLength(2);
    clock.move(10_000);
    expect(sockets).toHaveLength(2);
  });

  it("tells a link from an earlier start from a host that is away", async () => {
    probe = "old-token";
    socket().closes();
    await settle();
    expect(links[links.length - 1]).toEqual({ is: "refused", why: "old-token" });
    clock.move(60_000);
    expect(sockets).toHaveLength(1);
  });

  it("never comes back after it was taken over, by close code or by word", () => {
    socket().opens();
    socket().closes(4000);
    clock.move(60_000);
    expect(links[links.length - 1]).toEqual({ is: "superseded" });
    expect(sockets).toHaveLength(1);

    port = make();
    socket().opens();
    socket().says("BB_DEVICE_SUPERSEDED {}");
    expect(links[links.length - 1]).toEqual({ is: "superseded" });
    expect(socket().closed).toBe(true);
  });

  it("reads a unit's header and gives the bytes after it", () => {
    socket().opens();
    const header = encodeVideoHeader({ key: true, id: 65_535, width: 1080, generation: 70_000 });
    const message = new Uint8Array([...header, 0, 0, 0, 1, 0x67]);
    socket().says(message.buffer);
    expect(units).toHaveLength(1);
    expect(units[0]).toMatchObject({ key: true, id: 65_535, generation: 70_000 % 65_536 });
    expect([...(units[0]?.data ?? [])]).toEqual([0, 0, 0, 1, 0x67]);
  });

  it("hears the host's own words and the device's, and passes over what it does not know", () => {
    socket().opens();
    socket().says('BB_CONTROL {"holder":"you","generation":3}');
    socket().says('BB_LATENCY {"medianMs":12,"p95Ms":20}');
    socket().says('BB_DEVICE_ANSWER {"id":"a","ok":false,"error":{"code":"busy","words":"Wait."}}');
    socket().says(`clipboard,${btoa("hei")}`);
    socket().says("SOMETHING NEW");
    socket().says("BB_CONTROL {broken");
    socket().says(new ArrayBuffer(3));
    expect(heard).toEqual(["control you", "latency 12", "answer a", "clipboard hei"]);
  });

  it("keeps nothing for later: without a connection a command is refused", () => {
    expect(port.send({ do: "take-control" })).toBe(false);
    socket().opens();
    expect(port.send({ do: "take-control" })).toBe(true);
    expect(socket().sent).toEqual(["BB_CONTROL_TAKE"]);
  });

  it("lets moves go rather than pile up on a connection that stands still, but nothing else", () => {
    socket().opens();
    socket().bufferedAmount = 1_000_000;
    expect(port.send({ do: "pointer", x: 1, y: 2, mask: 1, move: true })).toBe(false);
    expect(port.send({ do: "pointer", x: 1, y: 2, mask: 0, move: false })).toBe(true);
    expect(socket().sent).toEqual(["m,1,2,0,0"]);
  });

  it("is silent for good once closed", async () => {
    socket().opens();
    port.close();
    const before = links.length;
    clock.move(60_000);
    await settle();
    expect(links).toHaveLength(before);
    expect(sockets).toHaveLength(1);
  });
});

describe("commands on the wire", () => {
  const texts = (command: Command): readonly string[] => encodeCommand(command);

  it("are Selkies' verbs and ours", () => {
    expect(texts({ do: "start-video" })).toEqual(["START_VIDEO"]);
    expect(texts({ do: "ack", id: 9 })).toEqual(["CLIENT_FRAME_ACK 9"]);
    expect(texts({ do: "key", keysym: 0xff0d, down: true })).toEqual(["kd,65293"]);
    expect(texts({ do: "keys-up" })).toEqual(["kr"]);
    expect(texts({ do: "hand-back" })).toEqual(["BB_CONTROL_BACK"]);
    expect(texts({ do: "ask", request: { id: "i", type: "paste", text: "é" } })).toEqual([
      'BB_DEVICE {"id":"i","type":"paste","text":"é"}',
    ]);
  });

  it("make a wheel's notch of a bit that comes and goes", () => {
    expect(texts({ do: "wheel", axis: "y", notches: 2, mask: 0 })).toEqual(["m2,0,0,0,0", "m2,0,0,8,2", "m2,0,0,0,0"]);
    expect(texts({ do: "wheel", axis: "y", notches: -1, mask: 1 })).toEqual(["m2,0,0,1,0", "m2,0,0,17,1", "m2,0,0,1,0"]);
    expect(texts({ do: "wheel", axis: "x", notches: 0, mask: 0 })).toEqual([]);
  });
});
