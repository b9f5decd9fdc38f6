/**
 * One source's video to many viewers, each paced by its own acknowledgements. Knows units and acks; nothing of leases, models or control.
 * Ids are the relay's own: a source that is connected again starts its count anew, a viewer's goes on.
 */
import { decodeVideoHeader } from "#wire/frame.ts";
import { type HubUnit, type Seat, UnitHub } from "#wire/unit-hub.ts";
import { type Latency, LatencyWindow } from "./latency.ts";

export interface RelaySource {
  /** A key unit, still screen or not. */
  requestKey(): void;
  /** Somebody watches, or nobody does any more. */
  watched(on: boolean): void;
  /** Everything up to this id of the source's own has arrived. */
  ack(id: number): void;
}

export interface RelayViewer {
  /** One whole message: header and unit. Shared by all viewers; not to be written to. */
  send(message: Uint8Array): void;
  /** Bytes handed to its socket and not yet taken by it. */
  bufferedBytes(): number;
}

export interface RelaySeat {
  resume(): void;
  pause(): void;
  requestKey(): void;
  ack(id: number): void;
  latency(): Latency | null;
  leave(): void;
}

export interface RelayClock {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

const ID_OFFSET = 2;

export class VideoRelay {
  readonly #hub: UnitHub<HubUnit>;
  readonly #source: RelaySource;
  readonly #clock: RelayClock;

  constructor(source: RelaySource, clock: RelayClock) {
    this.#source = source;
    this.#clock = clock;
    this.#hub = new UnitHub<HubUnit>({
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, run),
      forceKey: () => source.requestKey(),
      watched: (on) => source.watched(on),
    });
  }

  /** Viewers that are not paused. */
  get watching(): number {
    return this.#hub.watching;
  }

  /** One binary message of the source, whose bytes are the relay's from now on. False: it is no video. */
  push(message: Uint8Array): boolean {
    const header = decodeVideoHeader(message);
    if (header === null) return false;
    this.#source.ack(header.id);
    this.#hub.push({ key: header.key, data: message });
    return true;
  }

  /** The source is another stream from here on. */
  reset(): void {
    this.#hub.reset();
  }

  /** A viewer joins; its seat starts paused. */
  join(viewer: RelayViewer): RelaySeat {
    const latency = new LatencyWindow();
    const seat: Seat = this.#hub.join({
      bufferedBytes: () => viewer.bufferedBytes(),
      send: (unit, id) => {
        // The same number for every viewer, so that writing it into the shared message changes nothing for another.
        new DataView(unit.data.buffer, unit.data.byteOffset).setUint16(ID_OFFSET, id);
        viewer.send(unit.data);
      },
    });
    return {
      resume: () => seat.resume(),
      pause: () => seat.pause(),
      requestKey: () => seat.requestKey(),
      ack: (id) => {
        const ms = seat.acked(id);
        if (ms !== null) latency.add(this.#clock.now(), ms);
      },
      latency: () => latency.read(this.#clock.now()),
      leave: () => seat.leave(),
    };
  }

  close(): void {
    this.#hub.close();
  }
}
