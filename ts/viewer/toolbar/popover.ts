/** The one popover that may be open, or in narrow panels the sheet: what it holds, and how it is left. */
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Context } from "#viewer/panel/context.ts";
import type { ActionId, PanelModel } from "#viewer/panel/model.ts";
import type { PlayFigures } from "#viewer/stream/screenplay.ts";
import { detailsPage } from "./details-page.ts";
import { moreMain, rebootPage } from "./more-page.ts";
import { pickerPage, switchPage } from "./picker-page.ts";
import { batteryPage, foldPage, linkPage, locationPage, networkPage, textSizePage } from "./settings-pages.ts";
import { typeTextPage } from "./type-text-page.ts";

export interface PopoverParts {
  /** What the bar holds: More has the rest. */
  readonly groups: readonly (readonly ActionId[])[];
  readonly figures: PlayFigures;
}

export function popover(context: Context, parts: PopoverParts): TemplateResult | typeof nothing {
  const { model, widths, acts } = context;
  if (model.popover === null) return nothing;
  const sheet = widths.narrow;
  const menu = model.popover === "more" && model.page === "main";
  const held = parts.groups;
  return html`${sheet ? html`<div class="scrim" @click=${() => acts.close()}></div>` : nothing}
    <div
      class="pop pop-${model.popover} ${model.state?.platform ?? ""} ${sheet ? "sheet" : ""} ${model.page === "main" ? "" : "paged"}"
      role=${menu ? "menu" : "dialog"}
      aria-label=${menu ? context.t.more : nothing}
      aria-labelledby=${menu ? nothing : "pop-title"}
      tabindex="-1"
    >
      ${sheet ? html`<div class="grip" aria-hidden="true"></div>` : nothing}
      ${keyed(`${model.popover}-${model.page}`, html`<div class="page" role=${menu ? "presentation" : nothing}>${page(context, held, parts.figures)}</div>`)}
    </div>`;
}

function page(context: Context, held: PopoverParts["groups"], figures: PlayFigures): TemplateResult | typeof nothing {
  const { model, acts } = context;
  const back = (): void => acts.turnTo("main");
  switch (model.popover) {
    case "fold":
      return foldPage(context);
    case "text-size":
      return textSizePage(context, null);
    case "picker":
      return model.page === "switch" ? switchPage(context) : pickerPage(context);
    case "type-text":
      return typeTextPage(context);
    case "details":
      return detailsPage(context, figures, null);
    case "more":
      return morePage(context, held, figures, back);
    case null:
      return nothing;
  }
}

function morePage(context: Context, held: PopoverParts["groups"], figures: PlayFigures, back: () => void): TemplateResult {
  switch (context.model.page) {
    case "text-size":
      return textSizePage(context, back);
    case "location":
      return locationPage(context, back);
    case "battery":
      return batteryPage(context, back);
    case "network":
      return networkPage(context, back);
    case "link":
      return linkPage(context, back);
    case "details":
      return detailsPage(context, figures, back);
    case "reboot":
      return rebootPage(context);
    case "main":
    case "switch":
      return moreMain(context, held);
  }
}

/** Which of the page's parts the popover hangs from. */
export function anchorId(model: PanelModel): string {
  return model.popover === "fold" || model.popover === "text-size" || model.popover === "more"
    ? `action-${model.popover}`
    : (model.popover ?? "");
}
