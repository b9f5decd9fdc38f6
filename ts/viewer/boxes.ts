/** Which box a page shows. */
import type { BoxInfo } from "#wire/panel.ts";

/** What is asked for before the list is there: what a host without a list of its own has. */
export const FIRST_BOX = "local";

/** The box to go over to when the shown one is none of the host's: its first. null: stay. */
export function boxInstead(shown: string, boxes: readonly BoxInfo[]): string | null {
  return boxes.some(({ id }) => id === shown) ? null : (boxes[0]?.id ?? null);
}
