/**
 * One source's video to many viewers, each paced by its own acknowledgements. Knows units and acks; nothing of leases, models or control.
 * Ids are the relay's own: a source that is connected again starts its count anew, a viewer's goes on.
 */
import { decodeVideoHeader } from "#wire/frame.ts";
import { idDistance } from "#wire/pacing.ts";
import { type HubUnit, type Seat, UnitHub } from "#wire/unit-hub.ts";
import { type Latency, LatencyWindow } from "./latency.ts";

export interface RelaySource {
  /** A key unit, still screen or not. */
  requestKey(): void;
  /** Somebody watches, or nobody does any more. The source begins with a key unit. */
  watched(on: boolean): void;
  /** Everything up to this id of the source's own was drawn by a viewer, or arrived while no viewer says what it draws. */
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
/** Units whose ids of both counts are kept: more than a viewer may have unacknowledged. */
const IDS_KEPT = 512;

/** A viewer's part in the acknowledgements. */
interface Acker {
  /** It said once what it drew, and it is not paused. */
  active: boolean;
}

export class VideoRelay {
  readonly #hub: UnitHub<HubUnit>;
  readonly #source: RelaySource;
  readonly #clock: RelayClock;
  readonly #ackers = new Set<Acker>();
  /** The source's id of each unit, by ours. */
  readonly #ids = new Map<number, number>();
  #newest: number | null = null;
  #acked: number | null = null;
  /** A viewer that will say when it drew it was given the unit that is being pushed. */
  #taken = false;

  constructor(source: RelaySource, clock: RelayClock) {
    this.#source = source;
    this.#clock = clock;
    this.#hub = new UnitHub<HubUnit>({
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, run),
      forceKey: () => source.requestKey(),
      watched: (on) => {
        source.watched(on);
        return true;
      },
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
    this.#taken = false;
    const id = this.#hub.push({ key: header.key, data: message });
    this.#ids.set(id, header.id);
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= IDS_KEPT) break;
      this.#ids.delete(oldest);
    }
    this.#newest = header.id;
    if (!this.#taken) this.#ack(header.id);
    return true;
  }

  /** The source is another stream from here on, which opens with a key unit. */
  reset(): void {
    this.#ids.clear();
    this.#newest = this.#acked = null;
    this.#hub.reset(true);
  }

  /** A viewer joins; its seat starts paused. */
  join(viewer: RelayViewer): RelaySeat {
    const latency = new LatencyWindow();
    const acker: Acker = { active: false };
    this.#ackers.add(acker);
    const rest = () => {
      acker.active = false;
      this.#letGo();
    };
    let acks = false;
    const seat: Seat = this.#hub.join({
      bufferedBytes: () => viewer.bufferedBytes(),
      send: (unit, id) => {
        // The same number for every viewer, so that writing it into the shared message changes nothing for another.
        new DataView(unit.data.buffer, unit.data.byteOffset).setUint16(ID_OFFSET, id);
        this.#taken ||= acker.active;
        viewer.send(unit.data);
      },
    });
    return {
      resume: () => {
        acker.active = acks;
        seat.resume();
      },
      pause: () => {
        seat.pause();
        rest();
      },
      requestKey: () => seat.requestKey(),
      ack: (id) => {
        acks = acker.active = true;
        const drawn = this.#ids.get(id);
        if (drawn !== undefined) this.#ack(drawn);
        const ms = seat.acked(id);
        if (ms !== null) latency.add(this.#clock.now(), ms);
      },
      latency: () => latency.read(this.#clock.now()),
      leave: () => {
        seat.leave();
        this.#ackers.delete(acker);
        rest();
      },
    };
  }

  close(): void {
    this.#hub.close();
  }

  #ack(id: number): void {
    // The quickest viewer's word counts; a slower one's is old.
    if (this.#acked !== null && idDistance(this.#acked, id) <= 0) return;
    this.#acked = id;
    this.#source.ack(id);
  }

  /** A viewer that was waited for is gone: when no other tells, what arrived counts. */
  #letGo(): void {
    for (const acker of this.#ackers) if (acker.active) return;
    if (this.#newest !== null) this.#ack(this.#newest);
  }
}
