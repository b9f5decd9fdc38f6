/** The line under the frame, and the words that describe the screen to a reader. */
import type { Context } from "#viewer/panel/context.ts";
import { postureNow } from "#viewer/panel/model.ts";
import type { ScreenSays } from "#viewer/panel/says.ts";

/** `byKeyboard`: the keyboard was used last. */
export function caption({ t, model }: Context, says: ScreenSays, byKeyboard: boolean): string | null {
  if (model.hint === "press-needs-control") return t.pressNeedsControl;
  if (byKeyboard && model.keysGo) return t.keysGo;
  if (postureNow(model.state) === "half-open" && says.kind === "nothing") return t.halfOpen;
  return null;
}

/** Who has control; to who has it, where their keys go. */
export function holderWords({ t, model }: Context): string {
  switch (model.holder) {
    case "you":
      return t.keysGo;
    case "agent":
      return t.agentHasControl;
    case "other":
      return t.otherHasControl;
    case "none":
      return t.nobodyHasControl;
  }
}
