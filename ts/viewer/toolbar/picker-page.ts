/** The device picker: this box's models, a switch among them, and other boxes where there are any. */
import { html, nothing, type TemplateResult } from "lit";
import { resolveModel } from "#core/device-models.ts";
import type { Context } from "#viewer/panel/context.ts";
import { deviceName } from "#viewer/panel/model.ts";
import { icon } from "./icons.ts";
import { formIcon, runtimeWords } from "./names.ts";
import { row, rule } from "./fields.ts";
import { displays } from "./top-bar.ts";

export function pickerPage(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const { hello } = model;
  const now = deviceName(model);
  return html`${
      context.widths.narrow && model.hasDesktop
        ? html`<h2 class="pop-title">${t.showName}</h2>
            <div class="displays-row">${displays(context, true)}</div>`
        : nothing
    }
    ${boxes(context)}
    <h2 class="pop-title" id="pop-title">${t.pickerTitle}</h2>
    <div role="radiogroup" aria-labelledby="pop-title">
      ${(hello?.devices ?? []).map((offer) => {
        const booted = hello?.bootedHere.includes(offer.model) === true || offer.model === now;
        return row({
          icon: formIcon(resolveModel(offer.model, hello?.models ?? [])),
          label: offer.model,
          note: booted ? runtimeWords(offer, t) : t.firstBootHere,
          role: "radio",
          checked: offer.model === now,
          press: () => acts.choose(offer.model),
        });
      })}
    </div>
    ${rule()}
    <p class="pop-foot">${t.pickerFoot}</p>`;
}

function boxes(context: Context): TemplateResult | typeof nothing {
  const { t, model, acts } = context;
  if (model.boxes.length < 2) return nothing;
  return html`<h2 class="pop-title" id="box-title">${t.boxTitle}</h2>
    <div role="radiogroup" aria-labelledby="box-title">
      ${model.boxes.map((box) =>
        row({
          label: box.name,
          note: box.away ?? box.device?.model ?? t.noDeviceNote,
          role: "radio",
          checked: box.id === model.box,
          press: () => {
            if (box.id === model.box) acts.close();
            else acts.chooseBox(box.id);
          },
        }),
      )}
    </div>
    ${rule()}`;
}

/** A device that has not booted here asks first, in the same place. */
export function switchPage(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const name = model.switchTo ?? "";
  return html`<div class="ask">
    ${icon(formIcon(resolveModel(name, model.hello?.models ?? [])), 20)}
    <h2 class="pop-title" id="pop-title">${t.switchAsk({ name })}</h2>
    <p>${t.switchAskNote({ name })}</p>
    <div class="foot buttons">
      <button class="button secondary" @click=${() => acts.turnTo("main")}>${t.cancel}</button>
      <button class="button primary" @click=${() => acts.switchTo(name)}>${t.switch}</button>
    </div>
  </div>`;
}
