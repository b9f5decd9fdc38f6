/** Type text: a field whose text goes to the device as one paste. It keeps its text when the device refuses it. */
import { html, type TemplateResult } from "lit";
import type { Context } from "#viewer/panel/context.ts";
import { icon } from "./icons.ts";

export function typeTextPage(context: Context): TemplateResult {
  const { t, acts } = context;
  const send = async (form: HTMLFormElement): Promise<void> => {
    const field = form.querySelector("textarea");
    const button = form.querySelector("button");
    if (field === null || field.value === "" || button?.ariaDisabled === "true") return;
    if (button !== null) button.ariaDisabled = "true";
    button?.classList.add("waits");
    const sent = field.value;
    const done = await acts.typeText(sent);
    if (button !== null) button.ariaDisabled = null;
    button?.classList.remove("waits");
    // Words typed while the first were on their way are not lost.
    if (done && field.value.startsWith(sent)) field.value = field.value.slice(sent.length);
    field.focus();
  };
  return html`<form
    class="type-form"
    @submit=${(event: SubmitEvent) => {
      event.preventDefault();
      void send(event.currentTarget as HTMLFormElement);
    }}
  >
    <div class="title-line">
      <h2 class="pop-title" id="pop-title">${t.typeText}</h2>
      <span class="value">${t.goesAsOnePaste}</span>
    </div>
    <textarea
      class="field area"
      aria-label=${t.textToType}
      spellcheck="false"
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        const form = (event.currentTarget as HTMLElement).closest("form");
        if (form !== null) void send(form);
      }}
    ></textarea>
    <div class="foot">
      <span>${t.bestForLongText}</span
      ><button class="button primary"><span class="does">${t.send}</span><span class="wait">${icon("loader-circle", 16)}</span></button>
    </div>
  </form>`;
}
