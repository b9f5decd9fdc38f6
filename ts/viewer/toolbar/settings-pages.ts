/** Popover pages that set something on the device: text size, fold, location, battery, network, a link. */
import { html, nothing, type TemplateResult } from "lit";
import { styles } from "#viewer/toolbar/styles.ts";
import { ANDROID_FONT_SCALES, IOS_CONTENT_SIZES, type Battery, type LatLon, type Posture } from "#core/device.ts";
import { DEFAULT_CONTENT_SIZE, DEFAULT_FONT_SCALE } from "#core/text-size.ts";
import type { Context } from "#viewer/panel/context.ts";
import { type FieldId, deviceModel, postureNow, textSizeNow } from "#viewer/panel/model.ts";
import { icon } from "./icons.ts";
import { pageTitle, row, rule, switchRow } from "./fields.ts";

export const CITIES: readonly { readonly name: string; readonly at: LatLon }[] = [
  { name: "Oslo", at: { latitude: 59.9139, longitude: 10.7522 } },
  { name: "San Francisco", at: { latitude: 37.7749, longitude: -122.4194 } },
  { name: "São Paulo", at: { latitude: -23.5505, longitude: -46.6333 } },
  { name: "Nairobi", at: { latitude: -1.2921, longitude: 36.8219 } },
  { name: "Tokyo", at: { latitude: 35.6762, longitude: 139.6503 } },
];

const IOS_PLAIN_STEPS = 7;

export function textSizePage(context: Context, back: (() => void) | null): TemplateResult {
  const { t, model, acts } = context;
  const ios = model.state?.platform === "ios";
  const steps: readonly (string | number)[] = ios ? IOS_CONTENT_SIZES : ANDROID_FONT_SCALES;
  const now = textSizeNow(model.state);
  const at = steps.findIndex((step) => String(step) === now);
  const standard = ios ? DEFAULT_CONTENT_SIZE : DEFAULT_FONT_SCALE;
  const set = (to: string | number): void => void acts.control({ action: "text_size", to } as Parameters<typeof acts.control>[0]);
  const last = steps.length - 1;
  const arrow = (move: "smaller" | "larger", unable: boolean): TemplateResult =>
    html`<button class="step-arrow" aria-label=${t[move]} aria-disabled=${unable ? "true" : nothing} @click=${() => !unable && set(move)}>
      ${icon(move === "smaller" ? "a-arrow-down" : "a-arrow-up", 20)}
    </button>`;
  return html`<div class="title-line">${pageTitle(t.textSize, back)}<span class="value">${now ?? t.unknown}</span></div>
    <div class="steps-line">
      ${arrow("smaller", at === 0)}
      <div
        class="dots"
        role="slider"
        tabindex="0"
        aria-label=${t.textSize}
        aria-valuemin="0"
        aria-valuemax=${last}
        aria-valuenow=${Math.max(0, at)}
        aria-valuetext=${now ?? t.unknown}
        @click=${(event: MouseEvent) => {
          const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
          const step = steps[Math.round(((event.clientX - box.left) / box.width) * last)];
          if (step !== undefined && String(step) !== now) set(step);
        }}
        @keydown=${(event: KeyboardEvent) => {
          const move = { ArrowRight: "larger", ArrowUp: "larger", ArrowLeft: "smaller", ArrowDown: "smaller" }[event.key];
          const end = event.key === "Home" ? steps[0] : event.key === "End" ? steps[last] : undefined;
          const to = move ?? end;
          if (to === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          set(to);
        }}
      >
        <div class="dots-track"><div class="dots-fill" ${styles({ transform: `scaleX(${at <= 0 ? 0 : at / last})` })}></div></div>
        ${steps.map((_, index) => html`<span class="dot ${index === at ? "now" : index < at ? "under" : ""}" ${styles({ left: `${(index / last) * 100}%` })}></span>`)}
      </div>
      ${arrow("larger", at === last)}
    </div>
    ${ios ? html`<div class="steps-under" ${styles({ "--from": String(IOS_PLAIN_STEPS / last) })}><span>${t.accessibility}</span></div>` : nothing}
    ${rule()}${row({ icon: "undo-2", label: t.default, value: String(standard), press: () => set("default") })}`;
}

const POSTURE_DRAWINGS: Record<Posture, TemplateResult> = {
  closed: html`<svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
    <rect x="13" y="6" width="14" height="28" rx="3.5" />
    <path d="M16.5 9.5v21" class="quiet" />
  </svg>`,
  "half-open": html`<svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
    <path d="M20 12.5 8.6 8.3A1.2 1.2 0 0 0 7 9.4v20.4c0 .5.3 1 .8 1.1L20 35l12.2-4.1c.5-.2.8-.6.8-1.1V9.4a1.2 1.2 0 0 0-1.6-1.1Z" />
    <path d="M20 12.5V35" class="quiet" />
  </svg>`,
  open: html`<svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
    <rect x="4" y="7" width="32" height="26" rx="3.5" />
    <path d="M20 10v20" stroke-dasharray="2.5 2.5" />
  </svg>`,
};

export function foldPage(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const device = deviceModel(model);
  const postures = device?.form === "foldable" ? device.postures : [];
  const now = postureNow(model.state);
  return html`${pageTitle(t.fold, null)}
    <div
      class="tiles"
      role="radiogroup"
      aria-labelledby="pop-title"
      @keydown=${(event: KeyboardEvent) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const tiles = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".tile")];
        const at = tiles.indexOf(event.target as HTMLElement);
        const next = tiles[(at + step + tiles.length) % tiles.length];
        next?.focus();
        next?.click();
      }}
    >
      ${postures.map(
        (posture, index) =>
          html`<button
            class="tile"
            role="radio"
            aria-checked=${posture === now}
            tabindex=${posture === now || (now === null && index === 0) ? 0 : -1}
            @click=${() => posture !== now && void acts.control({ action: "posture", to: posture })}
          >
            ${POSTURE_DRAWINGS[posture]}<span>${t.posture({ posture })}</span>
          </button>`,
      )}
    </div>`;
}

/** What the box last set, or the device says; null: the device's own. */
export function locationNow(context: Context): LatLon | null {
  const { state } = context.model;
  if (state === null) return null;
  if (state.platform === "ios") return state.settings.location.set;
  return state.settings.location.known ? state.settings.location.value : null;
}

export function placeName(at: LatLon): string {
  const near = CITIES.find((city) => Math.abs(city.at.latitude - at.latitude) < 0.01 && Math.abs(city.at.longitude - at.longitude) < 0.01);
  const short = (value: number): string => String(Math.round(value * 100) / 100).replace("-", "−");
  return near?.name ?? `${short(at.latitude)}, ${short(at.longitude)}`;
}

/** Two numbers in range, or which are not. */
export function readPlace(latitude: string, longitude: string): { readonly place: LatLon } | { readonly refused: readonly FieldId[] } {
  const lat = readNumber(latitude);
  const lon = readNumber(longitude);
  const refused: FieldId[] = [];
  if (lat === null || lat < -90 || lat > 90) refused.push("latitude");
  if (lon === null || lon < -180 || lon > 180) refused.push("longitude");
  return refused.length > 0 || lat === null || lon === null ? { refused } : { place: { latitude: lat, longitude: lon } };
}

/** A number as people write one: a comma or a point, a hyphen or a true minus. null for anything else. */
export function readNumber(text: string): number | null {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}

export function locationPage(context: Context, back: () => void): TemplateResult {
  const { t, model, acts } = context;
  const now = locationNow(context);
  const go = async (place: LatLon): Promise<void> => {
    if (await acts.control({ action: "location", to: place })) acts.toast(t.locationSet({ place: placeName(place) }), false);
  };
  const commit = (event: Event): void => {
    const form = (event.currentTarget as HTMLElement).closest(".place-fields");
    const valueOf = (id: FieldId): string => form?.querySelector<HTMLInputElement>(`#field-${id}`)?.value ?? "";
    const [latitude, longitude] = [valueOf("latitude"), valueOf("longitude")];
    if (latitude.trim() === "" || longitude.trim() === "") return;
    const read = readPlace(latitude, longitude);
    acts.refuseFields("refused" in read ? read.refused : []);
    if ("place" in read && (now === null || now.latitude !== read.place.latitude || now.longitude !== read.place.longitude))
      void go(read.place);
  };
  const field = (id: "latitude" | "longitude", value: number | undefined): TemplateResult => {
    const refused = model.refusedFields.has(id);
    return html`<label class="field-label"
      ><span>${t[id]}</span
      ><input
        class="field ${refused ? "refused" : ""}"
        id="field-${id}"
        inputmode="decimal"
        autocomplete="off"
        aria-invalid=${refused ? "true" : "false"}
        aria-describedby=${refused ? `${id}-range` : nothing}
        .value=${value === undefined ? "" : String(value)}
        @change=${commit}
    /></label>`;
  };
  return html`${pageTitle(t.location, back)}
    <div role="radiogroup" aria-labelledby="pop-title">
      ${CITIES.map((city) => row({ label: city.name, role: "radio", checked: now !== null && placeName(now) === city.name, press: () => void go(city.at) }))}
    </div>
    ${rule()}
    <div class="place-fields">${field("latitude", now?.latitude)}${field("longitude", now?.longitude)}</div>
    ${model.refusedFields.has("latitude") ? html`<p class="field-error" id="latitude-range" role="alert">${t.latitudeRange}</p>` : nothing}
    ${model.refusedFields.has("longitude") ? html`<p class="field-error" id="longitude-range" role="alert">${t.longitudeRange}</p>` : nothing}
    ${row({ icon: "undo-2", label: t.devicesOwn, press: () => void acts.control({ action: "location", to: null }) })}`;
}

export function batteryNow(context: Context): Battery | null {
  const { state } = context.model;
  if (state === null) return null;
  if (state.platform === "ios") return state.settings.statusBar.set?.battery ?? null;
  return state.settings.battery.known ? state.settings.battery.value : null;
}

export function batteryPage(context: Context, back: () => void): TemplateResult {
  const { t, acts } = context;
  const now = batteryNow(context) ?? { level: 100, charging: false };
  const set = (battery: Battery): void => void acts.control({ action: "battery", to: battery });
  return html`${pageTitle(t.battery, back)}
    <div class="slider-block">
      <div class="slider-head">
        <span id="battery-level">${t.batteryLevel}</span><span class="number">${t.percent({ level: now.level })}</span>
      </div>
      <input
        class="slider"
        type="range"
        min="0"
        max="100"
        step="1"
        aria-labelledby="battery-level"
        ${styles({ "--share": `${now.level}%` })}
        .value=${String(now.level)}
        @input=${(event: Event) => {
          // The number follows the knob; the device is told once it is let go.
          const input = event.currentTarget as HTMLInputElement;
          input.style.setProperty("--share", `${input.value}%`);
          const number = input.parentElement?.querySelector(".number");
          if (number !== null && number !== undefined) number.textContent = t.percent({ level: Number(input.value) });
        }}
        @change=${(event: Event) => set({ ...now, level: Number((event.currentTarget as HTMLInputElement).value) })}
      />
    </div>
    ${switchRow({ label: t.charging, inMenu: false }, now.charging, (charging) => set({ ...now, charging }))} ${rule()}
    ${row({ icon: "undo-2", label: t.devicesOwn, press: () => void acts.control({ action: "battery", to: null }) })}`;
}

export function networkPage(context: Context, back: () => void): TemplateResult {
  const { t, model, acts } = context;
  const { state } = model;
  const now = state?.platform === "android" && state.settings.network.known ? state.settings.network.value : null;
  const choices = [
    { to: "online", label: t.online, note: t.onlineNote },
    { to: "offline", label: t.offline, note: t.offlineNote },
    { to: "slow", label: t.slow, note: t.slowNote },
  ] as const;
  return html`${pageTitle(t.network, back)}
    <div role="radiogroup" aria-labelledby="pop-title">
      ${choices.map(({ to, label, note }) => row({ label, note, role: "radio", checked: now === to, press: () => void acts.control({ action: "network", to }) }))}
    </div>`;
}

/** A scheme and something after it; what the device makes of it is the device's to say. */
export function looksLikeLink(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text.trim());
}

export function linkPage(context: Context, back: () => void): TemplateResult {
  const { t, model, acts } = context;
  const refused = model.refusedFields.has("link");
  return html`${pageTitle(t.openLinkTitle, back)}
    <form
      class="link-form"
      @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        const form = event.currentTarget as HTMLFormElement;
        const url = form.querySelector<HTMLInputElement>("#field-link")?.value.trim() ?? "";
        acts.refuseFields(looksLikeLink(url) ? [] : ["link"]);
        if (looksLikeLink(url))
          void acts.openLink(url).then((done) => {
            if (done) acts.close();
          });
      }}
    >
      <input
        class="field ${refused ? "refused" : ""}"
        id="field-link"
        type="text"
        inputmode="url"
        autocapitalize="off"
        autocomplete="off"
        spellcheck="false"
        placeholder="https://"
        aria-label=${t.linkField}
        aria-invalid=${refused ? "true" : "false"}
        aria-describedby=${refused ? "link-refused" : nothing}
      />
      ${refused ? html`<p class="field-error" id="link-refused" role="alert">${t.linkRefused}</p>` : nothing}
      <div class="foot"><span></span><button class="button primary">${t.open}</button></div>
    </form>`;
}
