/**
 * When each picture came, was decoded, drawn and acknowledged in a page, laid beside the device server's own times of the same picture.
 * The page's clock and the server's are both the machine's monotonic clock with different zeros; `relateClocks` says how they lie and how surely.
 */
import type { CDPSession, Page } from "playwright-core";
import type { AnswerOk } from "#wire/device.ts";

/** One unit as the page saw it: `performance.now()` ms; null where it never got so far. */
export interface SeenUnit {
  /** The host's id of it. */
  readonly id: number;
  readonly bytes: number;
  readonly arrivedMs: number;
  readonly decodedMs: number | null;
  /** `drawImage` returned. */
  readonly drawnMs: number | null;
  /** The end of the page's first animation frame with the picture in it: from then on the compositor has it. */
  readonly shownMs: number | null;
  readonly ackedMs: number | null;
  readonly acks: number;
}

export type ServerFrame = NonNullable<NonNullable<AnswerOk["stats"]>["frames"]>[number];

/** One picture that was drawn, the server's times and the page's; `seen` is in the page's clock. */
export interface DrawnPicture {
  readonly server: ServerFrame;
  readonly seen: SeenUnit & { readonly decodedMs: number; readonly drawnMs: number };
}

/** Add this to the page's time for the machine's monotonic clock; wrong by `errorMs` at most. */
export interface ClockRelation {
  readonly offsetMs: number;
  readonly errorMs: number;
}

interface Watched {
  readonly seenUnits: () => SeenUnit[];
  /** When each press on the page was made, by the browser's own stamp of it. */
  readonly presses: () => number[];
  readonly forgetUnits: () => void;
}

/** Before the page's own scripts: stamps what goes through its socket, its decoder and its canvas. The product is not changed. */
export async function watchUnits(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Unit = { -readonly [K in keyof SeenUnit]: SeenUnit[K] };
    let units: Unit[] = [];
    let current: Unit | null = null;
    const decoding = new Map<number, Unit>();
    const byId = new Map<number, Unit>();
    const presses: number[] = [];
    const now = () => performance.now();

    const RealSocket = WebSocket;
    window.WebSocket = class extends RealSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        // Before the page's own listener, which decodes within this task.
        this.addEventListener("message", ({ data }) => {
          current = null;
          if (!(data instanceof ArrayBuffer) || data.byteLength < 10) return;
          const header = new DataView(data);
          if (header.getUint8(0) !== 4) return;
          const id = header.getUint16(2);
          current = {
            id,
            bytes: data.byteLength - 10,
            arrivedMs: now(),
            decodedMs: null,
            drawnMs: null,
            shownMs: null,
            ackedMs: null,
            acks: 0,
          };
          units.push(current);
          byId.set(id, current);
        });
      }
      override send(data: string | Blob | BufferSource): void {
        super.send(data);
        const ack = typeof data === "string" ? /^CLIENT_FRAME_ACK (\d+)$/.exec(data) : null;
        const unit = ack === null ? undefined : byId.get(Number(ack[1]));
        if (unit === undefined) return;
        unit.acks += 1;
        unit.ackedMs ??= now();
      }
    };

    const RealDecoder = VideoDecoder;
    window.VideoDecoder = class extends RealDecoder {
      constructor(init: VideoDecoderInit) {
        super({
          error: init.error,
          output: (frame) => {
            const unit = decoding.get(frame.timestamp);
            if (unit !== undefined) unit.decodedMs = now();
            init.output(frame);
          },
        });
      }
      override decode(chunk: EncodedVideoChunk): void {
        if (current !== null) decoding.set(chunk.timestamp, current);
        super.decode(chunk);
      }
    };

    // A picture drawn within an animation frame is in that frame; one drawn between two is in the next.
    const realFrame = window.requestAnimationFrame.bind(window);
    const after = new MessageChannel();
    let inFrame = false;
    let asked = false;
    const drawn: Unit[] = [];
    const ending: Unit[] = [];
    after.port1.addEventListener("message", () => {
      for (const unit of ending.splice(0)) unit.shownMs = now();
    });
    after.port1.start();
    const endOfFrame = () => {
      ending.push(...drawn.splice(0));
      after.port2.postMessage(null);
    };
    window.requestAnimationFrame = (run) =>
      realFrame((time) => {
        inFrame = true;
        try {
          run(time);
        } finally {
          inFrame = false;
        }
      });
    const realDraw = CanvasRenderingContext2D.prototype.drawImage as (...parts: unknown[]) => void;
    CanvasRenderingContext2D.prototype.drawImage = function (this: CanvasRenderingContext2D, ...parts: unknown[]): void {
      const frame = parts[0];
      const unit = frame instanceof VideoFrame ? decoding.get(frame.timestamp) : undefined;
      realDraw.apply(this, parts);
      if (unit === undefined) return;
      unit.drawnMs = now();
      drawn.push(unit);
      if (inFrame) endOfFrame();
      else if (!asked) {
        asked = true;
        realFrame(() => {
          asked = false;
          endOfFrame();
        });
      }
    };

    window.addEventListener("pointerdown", ({ timeStamp }) => presses.push(timeStamp), true);

    Object.assign(window, {
      seenUnits: () => units,
      presses: () => presses,
      forgetUnits: () => {
        units = [];
        decoding.clear();
        byId.clear();
      },
    } satisfies Watched);
  });
}

/** What the page saw since the start, or since `forgetUnits`. */
export function seenUnits(page: Page): Promise<readonly SeenUnit[]> {
  return page.evaluate(() => (window as unknown as Watched).seenUnits());
}

/** When each press on the page was made since the start, `performance.now()` ms. */
export function pressesMs(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => (window as unknown as Watched).presses());
}

export function forgetUnits(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as Watched).forgetUnits());
}

interface Asking extends HTMLElement {
  readonly session: { ask(request: object): Promise<{ readonly answer?: AnswerOk }> };
}

/** What the device server says of the newest pictures, asked as the panel asks. */
export async function serverStats(page: Page): Promise<NonNullable<AnswerOk["stats"]>> {
  const stats = await page.evaluate(async () => {
    const view = document.querySelector("device-view") as Asking;
    return (await view.session.ask({ id: `bench-${performance.now()}`, type: "stats", frames: true })).answer?.stats;
  });
  if (stats === undefined) throw new Error("The device server gave no stats.");
  return stats;
}

/** Exchanges with the page, each of which holds the page's time between two of ours: what they all allow. */
export class ClockProbe {
  readonly #session: CDPSession;
  #from = Number.NEGATIVE_INFINITY;
  #to = Number.POSITIVE_INFINITY;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async open(page: Page): Promise<ClockProbe> {
    return new ClockProbe(await page.context().newCDPSession(page));
  }

  /** More exchanges only narrow it. */
  async probe(times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      const before = monotonicMs();
      const { result } = await this.#session.send("Runtime.evaluate", { expression: "performance.now()" });
      const after = monotonicMs();
      this.#from = Math.max(this.#from, before - Number(result.value));
      this.#to = Math.min(this.#to, after - Number(result.value));
    }
  }

  relation(): ClockRelation {
    // A page's clock is told in tenths of a millisecond, so two exchanges may miss each other by that.
    return { offsetMs: (this.#from + this.#to) / 2, errorMs: Math.abs(this.#to - this.#from) / 2 + 0.1 };
  }
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The pictures both tell of, and those drawn whose times the server does not give. */
export interface Matched {
  readonly pictures: readonly DrawnPicture[];
  readonly unmatched: number;
}

/** How many units may be missing between two pictures before their ids are no longer followed. */
const MISSING_MOST = 256;
const SURE = 6;

/**
 * The host numbers units anew, so its ids are the server's less a number that only grows, by each unit that the server left out for a host
 * that was behind. It is followed by the units' sizes, which hardly two neighbours share.
 */
export function matchPictures(seen: readonly SeenUnit[], frames: readonly ServerFrame[]): Matched {
  const byId = new Map(seen.map((unit) => [unit.id, unit]));
  const at = (frame: ServerFrame | undefined, less: number) => {
    const unit = frame === undefined ? undefined : byId.get((frame.id - less) & 0xffff);
    return unit !== undefined && unit.bytes === frame?.bytes ? unit : undefined;
  };
  const agrees = (from: number, less: number) => {
    const next = frames.slice(from, from + SURE);
    return next.filter((frame) => at(frame, less) !== undefined).length;
  };
  const begin = () => {
    const ids = new Set(frames.flatMap(({ id, bytes }) => seen.filter((unit) => unit.bytes === bytes).map((unit) => id - unit.id)));
    const score = (less: number) => frames.filter((frame) => at(frame, less) !== undefined).length;
    return [...ids].map((less) => ({ less, score: score(less) })).toSorted((a, b) => b.score - a.score || a.less - b.less)[0]?.less;
  };
  const pictures: DrawnPicture[] = [];
  let less = begin();
  if (less === undefined) return { pictures, unmatched: seen.filter(({ drawnMs }) => drawnMs !== null).length };
  for (const [index, server] of frames.entries()) {
    let unit = at(server, less);
    if (unit === undefined) {
      for (let more = -MISSING_MOST; more <= MISSING_MOST && unit === undefined; more += 1) {
        if (agrees(index, less + more) < SURE / 2) continue;
        unit = at(server, less + more);
        if (unit !== undefined) less += more;
      }
    }
    if (unit === undefined || unit.drawnMs === null || unit.decodedMs === null) continue;
    pictures.push({ server, seen: { ...unit, drawnMs: unit.drawnMs, decodedMs: unit.decodedMs } });
  }
  return { pictures, unmatched: seen.filter(({ drawnMs }) => drawnMs !== null).length - pictures.length };
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly count: number;
}

/** Nearest rank; NaN where there is nothing. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), count: sorted.length };
}

/** Each way and part of a picture, in ms; the parts in order. `clock`: how the page's clock lies to the server's. */
export function waysOf(pictures: readonly DrawnPicture[], clock: ClockRelation) {
  const of = (ms: (server: ServerFrame, seen: DrawnPicture["seen"]) => number | null) =>
    pictures.map(({ server, seen }) => ms(server, seen)).filter((value) => value !== null);
  const here = (ms: number) => ms + clock.offsetMs;
  return {
    sendToAck: of(({ ackedMs, sentMs }) => (ackedMs === null ? null : ackedMs - sentMs)),
    sendToDrawn: of(({ sentMs }, { drawnMs }) => here(drawnMs) - sentMs),
    captureToDrawn: of(({ captureMs }, { drawnMs }) => here(drawnMs) - captureMs),
    captureToShown: of(({ captureMs }, { shownMs }) => (shownMs === null ? null : here(shownMs) - captureMs)),
    captureToEncoded: of(({ captureMs, encodedMs }) => encodedMs - captureMs),
    encodedToSent: of(({ encodedMs, sentMs }) => sentMs - encodedMs),
    sentToArrived: of(({ sentMs }, { arrivedMs }) => here(arrivedMs) - sentMs),
    arrivedToDecoded: of((_, { arrivedMs, decodedMs }) => decodedMs - arrivedMs),
    decodedToDrawn: of((_, { decodedMs, drawnMs }) => drawnMs - decodedMs),
    arrivedToDrawn: of((_, { arrivedMs, drawnMs }) => drawnMs - arrivedMs),
    drawnToAck: of(({ ackedMs }, { drawnMs }) => (ackedMs === null ? null : ackedMs - here(drawnMs))),
  };
}
