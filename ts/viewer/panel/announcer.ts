/** What a screen reader is told when something changes. Pure: two models in, sentences out. */
import { physicalNow, postureNow, appearanceNow, deviceName, textSizeNow, type PanelModel } from "./model.ts";
import type { Messages } from "#viewer/i18n/messages.ts";

/** Of one kind the newest replaces the one not yet read. */
export interface Saying {
  readonly kind: "power" | "turn" | "fold" | "appearance" | "text-size" | "control" | "picture";
  readonly words: string;
}

/** The sentences for one change. */
export function sayings(before: PanelModel, after: PanelModel, t: Messages): readonly Saying[] {
  const said: Saying[] = [];
  const say = (kind: Saying["kind"], words: string): void => void said.push({ kind, words });
  const power = powerWords(before, after, t);
  if (power !== null) say("power", power);
  if (before.link.is === "open" && after.link.is === "lost") say("picture", t.saidLost);
  if (before.link.is === "lost" && after.link.is === "open") say("picture", t.saidBack);
  if (before.stills === null && after.stills !== null) say("picture", t.saidStills);
  if (before.holder !== after.holder) {
    if (after.holder === "you") say("control", t.youHaveControl);
    else if (after.holder === "agent") say("control", t.saidAgentHasControl);
    else if (after.holder === "other") say("control", t.saidOtherHasControl);
  }
  if (before.state === null || after.state === null || before.state.model !== after.state.model) return said;
  if (before.state.geometry !== null && physicalNow(before.state) !== physicalNow(after.state))
    say("turn", t.saidTurned({ to: physicalNow(after.state) }));
  const posture = postureNow(after.state);
  if (posture !== null && posture !== postureNow(before.state)) say("fold", t.saidPosture({ posture }));
  const appearance = appearanceNow(after.state);
  if (appearance !== null && appearance !== appearanceNow(before.state)) say("appearance", t.saidAppearance({ to: appearance }));
  const size = textSizeNow(after.state);
  if (size !== null && size !== textSizeNow(before.state)) say("text-size", t.saidTextSize({ step: size }));
  return said;
}

function powerWords(before: PanelModel, after: PanelModel, t: Messages): string | null {
  const now = after.state?.power;
  const was = before.state?.power;
  const name = deviceName(after) ?? t.unnamedDevice;
  if (now === undefined) return null;
  if (now.is === "switching" && was?.is === "switching" && now.step !== was.step)
    return `${t.step({ step: now.step, from: after.switchedFrom ?? "" })}.`;
  if (now.is === was?.is) {
    if (now.is !== "booted" || was.is !== "booted" || now.awake === was.awake) return readyWords(before, after, name, t);
    return now.awake ? t.saidAwake({ name }) : t.saidAsleep({ name });
  }
  switch (now.is) {
    case "booting":
      return t.saidBooting({ name });
    case "switching":
      return t.saidSwitching({ name });
    case "failed":
      return t.saidFailed({ name, words: now.error.words });
    case "stopped":
      return t.saidStopped({ name });
    case "booted":
      return now.awake ? (after.pictured ? t.saidReady({ name }) : t.saidConnecting({ name })) : t.saidAsleep({ name });
  }
}

function readyWords(before: PanelModel, after: PanelModel, name: string, t: Messages): string | null {
  return !before.pictured && after.pictured && before.state !== null ? t.saidReady({ name }) : null;
}
