/** The bar of controls beside the frame, or the row below it. */
import { html, nothing, type TemplateResult } from "lit";
import { rowRotate } from "#viewer/panel/actions.ts";
import type { Context } from "#viewer/panel/context.ts";
import { type ActionId, appearanceNow, canControl, physicalNow, postureNow, textSizeNow } from "#viewer/panel/model.ts";
import { icon, type IconName } from "./icons.ts";

interface Look {
  readonly icon: IconName;
  readonly name: string;
  readonly tip: string;
  /** The tooltip's second, quieter part. */
  readonly more?: string;
}

function lookOf(context: Context, id: ActionId): Look {
  const { t, model, place } = context;
  const plain = (name: IconName, words: string): Look => ({ icon: name, name: words, tip: words });
  switch (id) {
    case "home":
      return plain("house", t.home);
    case "back":
      return plain("arrow-left", t.back);
    case "recents":
      return plain("square-stack", t.recents);
    case "rotate-left": {
      if (place === "beside") return plain("rotate-ccw-square", t.rotateLeft);
      const { name } = rowRotate(physicalNow(model.state));
      return plain(name === "rotateLeft" ? "rotate-ccw-square" : "rotate-cw-square", t[name]);
    }
    case "rotate-right":
      return plain("rotate-cw-square", t.rotateRight);
    case "fold": {
      const name = t.foldName({ posture: postureNow(model.state) });
      return plain("book-open", name);
    }
    case "appearance": {
      const now = appearanceNow(model.state);
      const name = t.appearanceName({ now });
      if (now === null) return plain("sun-moon", name);
      return {
        icon: now === "dark" ? "moon" : "sun",
        name,
        tip: t.appearanceTip({ now }),
        more: t.appearanceTipSwitch({ to: now === "dark" ? "light" : "dark" }),
      };
    }
    case "text-size":
      return plain("a-large-small", t.textSizeName({ step: textSizeNow(model.state) }));
    case "screenshot":
      return plain("camera", t.screenshot);
    case "more":
      return plain("ellipsis", t.more);
  }
}

/** Why nothing can be pressed now, in words; null when everything can. */
export function unableWords(context: Context): string | null {
  const { t, model } = context;
  if (model.link.is !== "open") return t.notConnected;
  if (canControl(model)) return null;
  const power = model.state?.power;
  switch (power?.is) {
    case "booting":
      return t.saidBooting({ name: model.state?.model ?? t.unnamedDevice });
    case "switching":
      return t.saidSwitching({ name: power.to });
    case "failed":
      return power.error.words;
    case "stopped":
      return t.stopped;
    default:
      return t.connecting;
  }
}

const POPOVERS = new Set<ActionId>(["fold", "text-size", "more"]);

/** The groups' buttons, with a line between groups. */
export function barButtons(context: Context, groups: readonly (readonly ActionId[])[]): TemplateResult {
  const unable = unableWords(context);
  const size = context.coarse || context.place === "row" ? 20 : 18;
  return html`${groups
    .filter((group) => group.length > 0)
    .map(
      (group, index) =>
        html`${index === 0 ? nothing : html`<div class="rule" role="separator"></div>`}${group.map((id) => target(context, id, unable, size))}`,
    )}`;
}

function target(context: Context, id: ActionId, unable: string | null, size: number): TemplateResult {
  const { model, acts, place } = context;
  const look = lookOf(context, id);
  const opens = POPOVERS.has(id);
  const open = opens && model.popover === id;
  const isUnable = unable !== null && id !== "more";
  const busy = model.busy.has(id);
  return html`<button
    class="target ${open ? "open" : ""} ${busy ? "busy" : ""}"
    id="action-${id}"
    data-action=${id}
    tabindex="-1"
    aria-label=${look.name}
    aria-haspopup=${opens ? (id === "more" ? "menu" : "dialog") : nothing}
    aria-expanded=${opens ? open : nothing}
    aria-disabled=${isUnable ? "true" : nothing}
    aria-busy=${busy ? "true" : nothing}
    data-tip=${isUnable ? `${look.tip}` : look.tip}
    data-tip-more=${isUnable ? unable : (look.more ?? nothing)}
    @click=${() => {
      if (!isUnable) acts.action(id, place);
    }}
  >
    ${busy ? icon("loader-circle", 16) : icon(look.icon, size)}
  </button>`;
}

/** The bar's measures: 36 px targets with a mouse, 44 on touch and in the row. */
export function barLength(groups: readonly (readonly ActionId[])[], target_: number, gap: number, ruleLength: number): number {
  const shown = groups.filter((group) => group.length > 0);
  const targets = shown.reduce((sum, group) => sum + group.length, 0);
  const rules = Math.max(0, shown.length - 1);
  const pieces = targets + rules;
  return 8 + targets * target_ + rules * ruleLength + Math.max(0, pieces - 1) * gap;
}
