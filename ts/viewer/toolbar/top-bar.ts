/** The top bar: which device, who has control, Type text. */
import { html, nothing, type TemplateResult } from "lit";
import type { Context } from "#viewer/panel/context.ts";
import { deviceModel, deviceName, offered } from "#viewer/panel/model.ts";
import { icon, type IconName } from "./icons.ts";
import { formIcon, runtimeWords } from "./names.ts";

export function topBar(context: Context): TemplateResult {
  return html`<div class="left">
      ${picker(context)}${context.widths.narrow ? nothing : displays(context, context.widths.wide && context.widths.squeezed < 1)}${latency(context)}
    </div>
    <div class="right">${control(context)}${typeText(context)}</div>`;
}

function picker(context: Context): TemplateResult {
  const { t, model, widths, acts } = context;
  const name = deviceName(model) ?? t.unnamedDevice;
  const runtime = runtimeWords(offered(model, name), t);
  return html`<button
    class="top-button picker"
    id="picker"
    aria-haspopup="dialog"
    aria-expanded=${model.popover === "picker"}
    title=${name}
    @click=${() => acts.toggle("picker")}
  >
    ${icon(formIcon(deviceModel(model)), 16)}<span class="unseen">${t.pickerBefore}</span><span class="name">${name}</span>${
      runtime === ""
        ? nothing
        : html`<span class="unseen">${t.pickerBetween}</span
            ><span class=${widths.wide && widths.squeezed < 2 ? "runtime" : "unseen"}>${runtime}</span>`
    }${icon("chevron-down", 14)}
  </button>`;
}

/** Device or Desktop, where the page can show both. Device is what this panel is. */
export function displays(context: Context, words: boolean): TemplateResult | typeof nothing {
  const { t, model, acts } = context;
  if (!model.hasDesktop) return nothing;
  return html`<div class="segments displays" role="radiogroup" aria-label=${t.showName}>
    <button
      class="segment"
      role="radio"
      aria-checked="true"
      aria-label=${words ? nothing : t.showDevice}
      data-tip=${words ? nothing : t.showDevice}
    >
      ${icon("smartphone", 15)}${words ? html`<span>${t.showDevice}</span>` : nothing}
    </button>
    <button
      class="segment"
      role="radio"
      aria-checked="false"
      aria-label=${words ? nothing : t.showDesktop}
      data-tip=${words ? nothing : t.showDesktop}
      @click=${() => acts.showDesktop()}
    >
      ${icon("monitor", 15)}${words ? html`<span>${t.showDesktop}</span>` : nothing}
    </button>
  </div>`;
}

function latency(context: Context): TemplateResult | typeof nothing {
  const { t, model, widths, acts } = context;
  if (!widths.wide || model.latency === null || model.link.is !== "open") return nothing;
  const ms = model.latency.medianMs;
  return html`<button
    class="top-button quiet"
    id="details"
    aria-haspopup="dialog"
    aria-expanded=${model.popover === "details"}
    aria-label=${t.latencyName({ ms })}
    @click=${() => acts.toggle("details")}
  >
    ${t.latency({ ms })}
  </button>`;
}

interface Status {
  readonly icon: IconName | "agent-dot";
  readonly words: string;
}

function statusOf(context: Context): Status | null {
  const { t, model } = context;
  switch (model.holder) {
    case "agent":
      return model.agentTouches ? { icon: "agent-dot", words: t.agentUsesDevice } : { icon: "bot", words: t.agentHasControl };
    case "other":
      return { icon: "user", words: t.otherHasControl };
    case "none":
      return null;
    case "you":
      return { icon: "hand", words: t.youHaveControl };
  }
}

function statusIcon(status: Status): TemplateResult {
  return status.icon === "agent-dot" ? html`<span class="agent-dot" aria-hidden="true"></span>` : icon(status.icon, 16);
}

function control(context: Context): TemplateResult | typeof nothing {
  const { t, model, widths, acts } = context;
  if (model.link.is !== "open") return nothing;
  const status = statusOf(context);
  if (model.holder === "you") {
    if (widths.narrow) return nothing;
    return html`<div class="capsule">
      ${status === null ? nothing : statusIcon(status)}${widths.status ? html`<span class="sentence">${t.youHaveControl}</span>` : nothing}
      <button class="button primary small" id="control" @click=${() => acts.handBack()}>${t.handBack}</button>
    </div>`;
  }
  return html`${
      status === null || widths.narrow
        ? nothing
        : html`<span class="status" id="status" data-tip=${widths.status ? nothing : status.words}
            >${statusIcon(status)}<span class=${widths.status ? "sentence" : "unseen"}>${status.words}</span></span
          >`
    }
    <button
      class="button secondary take"
      id="control"
      aria-label=${widths.tiny ? t.takeControl : nothing}
      data-tip=${widths.tiny ? t.takeControl : nothing}
      @click=${() => acts.takeControl()}
    >
      ${widths.tiny ? icon("hand", 17) : t.takeControl}
    </button>`;
}

function typeText(context: Context): TemplateResult {
  const { t, model, widths, acts } = context;
  const words = widths.wide && widths.squeezed < 3;
  return html`<button
    class="top-button ghost ${words ? "" : "only-icon"}"
    id="type-text"
    aria-haspopup="dialog"
    aria-expanded=${model.popover === "type-text"}
    aria-label=${words ? nothing : t.typeText}
    data-tip=${words ? nothing : t.typeText}
    @click=${() => acts.toggle("type-text")}
  >
    ${icon("keyboard", 17)}${words ? html`<span>${t.typeText}</span>` : nothing}
  </button>`;
}

/** In narrow panels the sentence and Hand back stand in a strip of their own. */
export function controlStrip(context: Context): TemplateResult | typeof nothing {
  const { t, model, widths, acts } = context;
  if (!widths.narrow || model.holder !== "you" || model.link.is !== "open") return nothing;
  return html`<div class="control-strip">
    ${icon("hand", 18)}<span class="sentence">${t.youHaveControl}</span>
    <button class="button primary" id="control" @click=${() => acts.handBack()}>${t.handBack}</button>
  </div>`;
}
