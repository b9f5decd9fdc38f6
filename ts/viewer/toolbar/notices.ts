/** Strips above the frame, which stay while they hold true, and toasts below it, which go. */
import { html, nothing, type TemplateResult } from "lit";
import { styles } from "#viewer/toolbar/styles.ts";
import type { Fit } from "#viewer/frame/fit.ts";
import type { Context } from "#viewer/panel/context.ts";
import { icon } from "./icons.ts";

export function stageStrip(context: Context): TemplateResult | typeof nothing {
  const { t, model } = context;
  if (model.warning !== null && model.link.is === "open")
    return strip("care", html`${icon("triangle-alert", 16)}<span>${model.warning}</span>`);
  if (model.stills === null || model.link.is === "refused") return nothing;
  return strip("", html`${icon("images", 16)}<span>${model.stills === "insecure" ? t.stillsInsecure : t.stillsNoDecoder}</span>`);
}

function strip(kind: string, content: TemplateResult): TemplateResult {
  return html`<div class="strip-place"><div class="strip ${kind}">${content}</div></div>`;
}

export function toastView(context: Context, fit: Fit | null): TemplateResult | typeof nothing {
  const { t, model, acts } = context;
  const { toast } = model;
  if (toast === null) return nothing;
  const above = fit !== null && fit.place === "row" ? fit.bar.height + 24 : 12;
  return html`<div class="toast-place" ${styles({ bottom: `${above}px` })}>
    <div class="toast">
      <span>${toast.words}</span>${
        toast.refusal ? html`<button aria-label=${t.close} @click=${() => acts.dismiss()}>${icon("x", 14)}</button>` : nothing
      }
    </div>
  </div>`;
}
