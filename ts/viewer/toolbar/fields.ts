/** Rows, segments, switches and fields that the popovers are made of. */
import { html, nothing, type TemplateResult } from "lit";
import { icon, type IconName } from "./icons.ts";

export interface RowLook {
  readonly icon?: IconName;
  readonly label: string;
  readonly value?: string;
  readonly note?: string;
  /** Opens a page; `quietly` without the arrow. */
  readonly opens?: boolean | "quietly";
  readonly tip?: string;
  readonly role?: "menuitem" | "radio" | "menuitemradio";
  readonly checked?: boolean;
  readonly press: () => void;
}

/** A row that is pressed: an icon, a label, and what it is now at the right. */
export function row(look: RowLook): TemplateResult {
  const choice = look.role === "radio" || look.role === "menuitemradio";
  return html`<button
    class="row-button ${look.note === undefined ? "" : "two-lines"}"
    role=${look.role ?? nothing}
    aria-haspopup=${look.opens === undefined || look.opens === false ? nothing : "dialog"}
    aria-checked=${choice ? look.checked === true : nothing}
    data-tip=${look.tip ?? nothing}
    @click=${look.press}
  >
    ${look.icon === undefined ? nothing : icon(look.icon, 17)}
    <span class="row-words"
      ><span class="label">${look.label}</span>${look.note === undefined ? nothing : html`<span class="row-note">${look.note}</span>`}</span
    >
    ${look.value === undefined ? nothing : html`<span class="value">${look.value}</span>`}
    ${look.opens === true ? icon("chevron-right", 14) : nothing}
    ${choice && look.checked === true ? html`<span class="tick">${icon("check", 17)}</span>` : nothing}
  </button>`;
}

export interface SegmentChoice<V extends string> {
  readonly value: V;
  readonly label: string;
}

/** A row with two or three choices beside its label. In a menu the choices are its own kind of menu item. */
export function segmentRow<V extends string>(
  look: { readonly icon: IconName; readonly label: string; readonly tip?: string; readonly inMenu: boolean },
  choices: readonly SegmentChoice<V>[],
  now: V | null,
  choose: (value: V) => void,
): TemplateResult {
  return html`<div class="row-line" role=${look.inMenu ? "group" : "radiogroup"} aria-label=${look.label} data-tip=${look.tip ?? nothing}>
    ${icon(look.icon, 17)}<span class="label">${look.label}</span>
    <span class="segments"
      >${choices.map(
        ({ value, label }) =>
          html`<button
            class="segment"
            role=${look.inMenu ? "menuitemradio" : "radio"}
            aria-checked=${value === now}
            @click=${() => {
              if (value !== now) choose(value);
            }}
          >
            ${label}
          </button>`,
      )}</span
    >
  </div>`;
}

/** A row with a switch. */
export function switchRow(
  look: { readonly icon?: IconName; readonly label: string; readonly inMenu: boolean },
  on: boolean,
  set: (on: boolean) => void,
): TemplateResult {
  return html`<button class="row-button" role=${look.inMenu ? "menuitemcheckbox" : "switch"} aria-checked=${on} @click=${() => set(!on)}>
    ${look.icon === undefined ? nothing : icon(look.icon, 17)}<span class="row-words"><span class="label">${look.label}</span></span
    ><span class="switch ${on ? "on" : ""}" aria-hidden="true"><span class="knob"></span></span>
  </button>`;
}

export function rule(): TemplateResult {
  return html`<div class="pop-rule" role="separator"></div>`;
}

/** A page's title with the way back. */
export function pageTitle(title: string, back: (() => void) | null): TemplateResult {
  if (back === null) return html`<h2 class="pop-title" id="pop-title">${title}</h2>`;
  return html`<button class="row-button back-row" @click=${back}>
    ${icon("chevron-left", 14)}
    <h2 class="pop-title" id="pop-title">${title}</h2>
  </button>`;
}
