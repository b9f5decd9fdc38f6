/**
 * What is typed, in order (note 063 "Text other than ASCII"): keys where a US keyboard has them, the rest gathered into pastes.
 * A gathering ends after 150 ms without a character, at a key that is not text, at 2,000 characters, or when its request ends
 * and nothing can follow it. What is typed meanwhile joins it, so that order is kept and one word is one paste. Holds no clock.
 */
import type { KeyModifier } from "#core/device.ts";
import { usKeyOf } from "#core/keys.ts";
import { TEXT_BATCH_CHARS_MAX, TEXT_BATCH_QUIET_MS } from "#wire/limits.ts";
import type { Stroke } from "./keyboard.ts";
import type { Source } from "./requests.ts";

/** One thing to do to the device, before the next is begun. */
export type TextOp =
  /** `ids`: the requests that it is a part of; one that fails fails them. */
  | { readonly do: "key"; readonly source: Source; readonly key: string; readonly down: boolean; readonly ids: readonly string[] }
  | { readonly do: "paste"; readonly source: Source; readonly text: string; readonly ids: readonly string[] }
  /** All of this request has been done. */
  | { readonly do: "done"; readonly source: Source; readonly id: string };

/** Operations that may wait: with more, requests are refused busy and keys do nothing. */
export const OPS_WAITING_MAX = 1_024;
/** Characters that may wait: a message holds no more. */
export const CHARS_WAITING_MAX = 8 * 1024 * 1024;

/** Characters that a US keyboard has, typed one after another when their turn comes. */
interface Run {
  readonly do: "run";
  readonly source: Source;
  readonly text: string;
  readonly ids: readonly string[];
  at: number;
  /** The key of the character at `at` is down. */
  down: boolean;
}

const MODIFIER_KEYS: Readonly<Record<KeyModifier, string>> = { shift: "Shift", control: "Control", alt: "Alt", meta: "Meta" };

interface Batch {
  readonly source: Source;
  text: string;
  /** Code points in it. */
  length: number;
  lastMs: number;
  /** Requests that have text in it, and the ones among them that end in it. */
  readonly parts: Set<string>;
  readonly ids: string[];
}

export class TextQueue {
  readonly #ops: (TextOp | Run)[] = [];
  #chars = 0;
  #batch: Batch | null = null;
  /** Keys that the device has down, by who pressed them. A key that is down twice is lifted once. */
  readonly #down: Record<Source, Set<string>> = { agent: new Set(), person: new Set() };
  /** Character keys whose press went into a batch: their release is nobody's. */
  readonly #swallowed = new Set<string>();

  get waiting(): number {
    return this.#ops.length;
  }
  get full(): boolean {
    return this.#ops.length >= OPS_WAITING_MAX;
  }
  /** The next thing is to say that a request is done: nothing is left to be done for it. */
  get tells(): boolean {
    return this.#ops[0]?.do === "done";
  }
  /** When `close` is due; null while nothing is gathered. Monotonic ms. */
  get dueMs(): number | null {
    return this.#batch === null ? null : this.#batch.lastMs + TEXT_BATCH_QUIET_MS;
  }

  /** A person's physical key, from Keyboard. */
  stroke(stroke: Stroke, nowMs: number): void {
    if (stroke.is === "key") {
      this.#key("person", stroke.key, stroke.down);
      return;
    }
    if (!stroke.down) {
      if (stroke.key === null || this.#swallowed.delete(stroke.text)) return;
      this.#push({ do: "key", source: "person", key: stroke.key, down: false, ids: [] });
      return;
    }
    if (stroke.key === null || this.#batch !== null) {
      if (this.full) return;
      if (stroke.key !== null) this.#swallowed.add(stroke.text);
      this.#gather("person", stroke.text, null, nowMs);
      return;
    }
    if (this.full) this.#swallowed.add(stroke.text);
    else this.#push({ do: "key", source: "person", key: stroke.key, down: true, ids: [] });
  }

  /**
   * Text of one request, or committed by an input method (`id` null). `complete`: nothing of its kind follows at once, so it is
   * not waited for. Answers false when too much waits already; then nothing was taken.
   */
  type(source: Source, text: string, id: string | null, complete: boolean, nowMs: number): boolean {
    if (this.full || this.#chars + text.length > CHARS_WAITING_MAX) return false;
    // One that types for itself never joins what another gathered.
    if (this.#batch !== null && this.#batch.source !== source) this.close();
    const plain = text.replaceAll("\r\n", "\n");
    const keyed = this.#batch === null ? usPrefix(plain) : 0;
    const ids = id === null ? [] : [id];
    if (keyed > 0) this.#push({ do: "run", source, text: plain.slice(0, keyed), ids, at: 0, down: false });
    for (const character of plain.slice(keyed)) this.#gather(source, character, id, nowMs);
    if (this.#batch === null) {
      if (id !== null) this.#push({ do: "done", source, id });
      return true;
    }
    if (id !== null) this.#batch.ids.push(id);
    if (complete) this.close();
    return true;
  }

  /** Text that is pasted whole, whatever it is. Answers false when too much waits already. */
  paste(source: Source, text: string, id: string): boolean {
    if (this.full || this.#chars + text.length > CHARS_WAITING_MAX) return false;
    this.close();
    if (text !== "") this.#push({ do: "paste", source, text, ids: [id] });
    this.#push({ do: "done", source, id });
    return true;
  }

  /** A key or chord of the agent. Answers false when too much waits already. */
  chord(source: Source, key: string, modifiers: readonly KeyModifier[], id: string): boolean {
    if (this.full) return false;
    this.close();
    const held = modifiers.map((modifier) => MODIFIER_KEYS[modifier]);
    const press = (pressed: string, down: boolean): void => this.#push({ do: "key", source, key: pressed, down, ids: [id] });
    for (const modifier of held) press(modifier, true);
    press(key, true);
    press(key, false);
    for (const modifier of held.toReversed()) press(modifier, false);
    this.#push({ do: "done", source, id });
    return true;
  }

  /** Ends the gathering if it has been quiet long enough. */
  advance(nowMs: number): void {
    const due = this.dueMs;
    if (due !== null && nowMs >= due) this.close();
  }

  /** Ends the gathering now. */
  close(): void {
    const batch = this.#batch;
    if (batch === null) return;
    this.#batch = null;
    this.#push({ do: "paste", source: batch.source, text: batch.text, ids: [...batch.parts] });
    for (const id of batch.ids) this.#push({ do: "done", source: batch.source, id });
  }

  /** The next thing to do; null while there is none. What is handed out is taken for done by `lift`. */
  next(): TextOp | null {
    const op = this.#take();
    if (op?.do === "key") {
      if (op.down) this.#down[op.source].add(op.key);
      else this.#down[op.source].delete(op.key);
    }
    return op;
  }

  /**
   * Drops what this source has waiting; `lift` comes after it. Answers the requests that will not be done. `finishes`: what was
   * handed out last goes on to its end, so the requests that end with it are done all the same.
   */
  drop(source: Source, finishes = false): readonly string[] {
    let at = 0;
    if (finishes) while (this.#ops[at]?.do === "done") at += 1;
    const waiting = this.#ops.splice(at);
    const dropped = waiting.filter((op) => op.source === source);
    const ids = dropped.flatMap((op) => (op.do === "done" ? [op.id] : []));
    for (const op of dropped) this.#chars -= charsOf(op);
    for (const op of waiting) if (op.source !== source) this.#ops.push(op);
    if (this.#batch?.source === source) {
      ids.push(...this.#batch.ids);
      this.#batch = null;
    }
    if (source === "person") this.#swallowed.clear();
    return ids;
  }

  /** The keys that the device has down of these sources: each is to be sent up now, before anything else. */
  lift(sources: readonly Source[] = ["agent", "person"]): readonly string[] {
    const keys = new Set<string>();
    for (const source of sources) {
      for (const key of this.#down[source]) keys.add(key);
      this.#down[source].clear();
    }
    return [...keys];
  }

  #key(source: Source, key: string, down: boolean): void {
    if (down && this.full) return;
    this.close();
    this.#push({ do: "key", source, key, down, ids: [] });
  }

  #gather(source: Source, character: string, id: string | null, nowMs: number): void {
    if (this.#batch !== null && this.#batch.source !== source) this.close();
    this.#batch ??= { source, text: "", length: 0, lastMs: nowMs, parts: new Set(), ids: [] };
    if (id !== null) this.#batch.parts.add(id);
    this.#batch.text += character;
    this.#batch.length += 1;
    this.#batch.lastMs = nowMs;
    if (this.#batch.length >= TEXT_BATCH_CHARS_MAX) this.close();
  }

  #push(op: TextOp | Run): void {
    this.#ops.push(op);
    this.#chars += charsOf(op);
  }

  #take(): TextOp | null {
    const op = this.#ops[0];
    if (op === undefined) return null;
    if (op.do !== "run") {
      this.#ops.shift();
      this.#chars -= charsOf(op);
      return op;
    }
    const key = usKeyOf(op.text[op.at] ?? "") ?? "";
    const down = !op.down;
    op.down = down;
    if (!down) op.at += 1;
    if (op.at >= op.text.length) {
      this.#ops.shift();
      this.#chars -= charsOf(op);
    }
    return { do: "key", source: op.source, key, down, ids: op.ids };
  }
}

function charsOf(op: TextOp | Run): number {
  return op.do === "paste" || op.do === "run" ? op.text.length : 0;
}

/** How many of the first characters a US keyboard has. All of them are one UTF-16 unit long. */
function usPrefix(text: string): number {
  let length = 0;
  while (length < text.length && usKeyOf(text[length] ?? "") !== null) length += 1;
  return length;
}
