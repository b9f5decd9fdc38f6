/** The host's own sentences, and how errors become words. */
import { CLOSE_REASON_BYTES_MAX } from "#wire/limits.ts";

/** An error's own words. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The longest beginning of a text that fits a close frame, no character cut. */
export function closeReason(words: string): string {
  let cut = "";
  let bytes = 0;
  for (const character of words) {
    bytes += Buffer.byteLength(character);
    if (bytes > CLOSE_REASON_BYTES_MAX) break;
    cut += character;
  }
  return cut;
}

export const SUPERSEDED_WORDS = "Another bb-box now looks after this device.";
export const AGENT_HAS_CONTROL_WORDS = "The agent has control. Take control first.";
export const OTHER_HAS_CONTROL_WORDS = "Someone else has control. Take control first.";
