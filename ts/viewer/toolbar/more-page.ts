/** More: what the bar does not hold, the rarer controls, how the device is shown, and Reboot. */
import { html, nothing, type TemplateResult } from "lit";
import { hasAction } from "#core/supports.ts";
import type { DeviceAction, DeviceControl } from "#core/device.ts";
import { movedToMore, barGroups } from "#viewer/panel/actions.ts";
import type { Context } from "#viewer/panel/context.ts";
import { type ActionId, appearanceNow, deviceModel, textSizeNow } from "#viewer/panel/model.ts";
import { row, rule, segmentRow, switchRow } from "./fields.ts";
import { batteryNow, locationNow, placeName } from "./settings-pages.ts";

export function moreMain(context: Context, held: readonly (readonly ActionId[])[]): TemplateResult {
  const { t, model, acts } = context;
  const { state } = model;
  const device = deviceModel(model);
  const can = (action: DeviceAction): boolean => device !== null && hasAction(device, action);
  const asleep = state?.power.is === "booted" && !state.power.awake;
  const moved = movedToMore(barGroups(device, device?.platform ?? state?.platform ?? "android"), held);
  const act = (control: DeviceControl): void => {
    acts.close();
    void acts.control(control);
  };
  return html`${moved.length === 0 ? nothing : html`${moved.map((id) => movedRow(context, id))}${rule()}`}
  ${
    asleep
      ? row({ icon: "sunrise", label: t.wake, role: "menuitem", press: () => act({ action: "wake" }) })
      : row({ icon: "lock", label: t.lock, role: "menuitem", press: () => act({ action: "lock" }) })
  }
  ${row({ icon: "link", label: t.openLink, role: "menuitem", opens: "quietly", press: () => acts.turnTo("link") })} ${rule()}
  ${can("location") ? locationRow(context) : nothing}${can("status_bar") ? statusBarRow(context) : nothing}
  ${can("battery") ? batteryRow(context) : nothing}${can("network") ? networkRow(context) : nothing} ${rule()}
  ${switchRow({ icon: "smartphone", label: t.showFrame, inMenu: true }, model.showFrame, (on) => acts.setShowFrame(on))}
  ${switchRow({ icon: "scan", label: t.pixelForPixel, inMenu: true }, model.pixelForPixel, (on) => acts.setPixelForPixel(on))} ${rule()}
  ${context.widths.narrow || context.widths.wide ? nothing : row({ icon: "activity", label: t.details, role: "menuitem", opens: true, press: () => acts.turnTo("details") })}
  ${row({ icon: "power", label: t.rebootRow, note: t.rebootNote, role: "menuitem", opens: "quietly", press: () => acts.turnTo("reboot") })}`;
}

function movedRow(context: Context, id: ActionId): TemplateResult | typeof nothing {
  const { t, model, acts } = context;
  const press = (): void => {
    acts.close();
    acts.action(id, "beside");
  };
  switch (id) {
    case "rotate-right":
      return row({ icon: "rotate-cw-square", label: t.rotateRight, role: "menuitem", press });
    case "recents":
      return row({ icon: "square-stack", label: t.recents, role: "menuitem", press });
    case "screenshot":
      return row({ icon: "camera", label: t.screenshot, role: "menuitem", press });
    case "text-size":
      return row({
        icon: "a-large-small",
        label: t.textSize,
        value: textSizeNow(model.state) ?? t.unknown,
        role: "menuitem",
        opens: true,
        press: () => acts.turnTo("text-size"),
      });
    case "appearance": {
      const now = appearanceNow(model.state);
      return segmentRow(
        { icon: now === "dark" ? "moon" : "sun", label: t.appearance, inMenu: true, ...outside(context, model.state?.settings.appearance) },
        [
          { value: "light", label: t.light },
          { value: "dark", label: t.dark },
        ],
        now,
        (to) => void acts.control({ action: "appearance", to }),
      );
    }
    default:
      return nothing;
  }
}

/** A value that someone else changed is shown like any other; its row's tooltip says so. */
function outside(context: Context, observed: { readonly known: boolean; readonly by?: string } | undefined): { readonly tip?: string } {
  return observed?.known === true && observed.by === "outside" ? { tip: context.t.changedOutside } : {};
}

function locationRow(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const { state } = model;
  const now = locationNow(context);
  const seen = state?.platform === "android" ? state.settings.location : undefined;
  return row({
    icon: "map-pin",
    label: t.location,
    value: now === null ? t.devicesOwn : placeName(now),
    role: "menuitem",
    opens: true,
    ...outside(context, seen),
    press: () => acts.turnTo("location"),
  });
}

function statusBarRow(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const { state } = model;
  const clean = state?.platform === "ios" ? (state.settings.statusBar.set?.clean ?? false) : state?.settings.statusBar.set === "clean";
  return segmentRow(
    { icon: "signal", label: t.statusBar, inMenu: true },
    [
      { value: "live", label: t.live },
      { value: "clean", label: t.clean },
    ],
    clean ? "clean" : "live",
    (to) => void acts.control({ action: "status_bar", to }),
  );
}

function batteryRow(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const { state } = model;
  const now = batteryNow(context);
  return row({
    icon: "battery-medium",
    label: t.battery,
    value: now === null ? t.devicesOwn : t.percent({ level: now.level }),
    role: "menuitem",
    opens: true,
    ...outside(context, state?.platform === "android" ? state.settings.battery : undefined),
    press: () => acts.turnTo("battery"),
  });
}

function networkRow(context: Context): TemplateResult | typeof nothing {
  const { t, model, acts } = context;
  const { state } = model;
  if (state?.platform !== "android") return nothing;
  const { network } = state.settings;
  const words = { online: t.online, offline: t.offline, slow: t.slow };
  const icons = { online: "wifi", offline: "wifi-off", slow: "gauge" } as const;
  return row({
    icon: network.known ? icons[network.value] : "wifi",
    label: t.network,
    value: network.known ? words[network.value] : t.unknown,
    role: "menuitem",
    opens: true,
    ...outside(context, network),
    press: () => acts.turnTo("network"),
  });
}

export function rebootPage(context: Context): TemplateResult {
  const { t, model, acts } = context;
  const cold = model.state?.platform === "android";
  return html`<div class="ask">
    <h2 class="pop-title" id="pop-title">${t.rebootAsk({ name: model.state?.model ?? t.unnamedDevice })}</h2>
    <p>${t.rebootAskNote({ cold })}</p>
    <div class="foot buttons">
      <button class="button secondary" @click=${() => acts.turnTo("main")}>${t.cancel}</button>
      <button
        class="button primary"
        @click=${() => {
          acts.close();
          void acts.control({ action: "reboot" });
        }}
      >
        ${t.reboot}
      </button>
    </div>
  </div>`;
}
