/** Up to ten fingers, as the emulator's touch screen takes them. */
import type { MessageInitShape } from "@bufbuild/protobuf";

import type { Contact } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

import type { TouchEventSchema, TouchSchema } from "./generated/emulator_controller_pb.js";

/** The emulator's slots. */
export const MOST_CONTACTS = 10;
/** The hardest press its touch screen has. 0 lifts. */
const PRESSED = 0x400;
const FINGERTIP = 0x20;

type TouchInit = MessageInitShape<typeof TouchSchema>;

export class Fingers {
  #down = new Map<number, Contact>();

  /** What brings the device from the contacts it has to these, or null when they are the same. Throws bad-value for an id outside 0 to 9. */
  to(contacts: readonly Contact[]): { readonly event: MessageInitShape<typeof TouchEventSchema>; readonly moveOf: string | null } | null {
    const next = new Map<number, Contact>();
    for (const contact of contacts) {
      if (!Number.isInteger(contact.id) || contact.id < 0 || contact.id >= MOST_CONTACTS) {
        throw new DeviceError("bad-value", `A touch's id is 0 to ${MOST_CONTACTS - 1}, not ${contact.id}.`);
      }
      next.set(contact.id, contact);
    }
    const touches: TouchInit[] = [];
    let sameFingers = true;
    for (const [id, last] of this.#down) {
      if (next.has(id)) continue;
      sameFingers = false;
      touches.push({ identifier: id, x: last.x, y: last.y, pressure: 0 });
    }
    for (const [id, contact] of next) {
      const before = this.#down.get(id);
      if (before === undefined) sameFingers = false;
      else if (before.x === contact.x && before.y === contact.y) continue;
      touches.push({ identifier: id, x: contact.x, y: contact.y, pressure: PRESSED, touchMajor: FINGERTIP, touchMinor: FINGERTIP });
    }
    this.#down = next;
    if (touches.length === 0) return null;
    return { event: { touches, display: 0 }, moveOf: sameFingers ? [...next.keys()].sort().join(",") : null };
  }

  /** Forgets what is down: the device is a new one. */
  forget(): void {
    this.#down.clear();
  }
}

/** Lifts every finger a server before this one may have left down. A finger that is not down is ignored. */
export function liftAll(): MessageInitShape<typeof TouchEventSchema> {
  return { touches: Array.from({ length: MOST_CONTACTS }, (_, identifier) => ({ identifier, x: 0, y: 0, pressure: 0 })), display: 0 };
}
