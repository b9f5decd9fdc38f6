/** What a press in the chrome does: controls, popovers, screenshots, and the words for what came of it. */
import type { DeviceControl } from "#core/device.ts";
import type { Messages } from "#viewer/i18n/messages.ts";
import { type Outcome, newId } from "#viewer/stream/requests.ts";
import { controlOf } from "./actions.ts";
import type { Acts } from "./context.ts";
import type { ActionId, PanelModel, PopoverId } from "./model.ts";
import { putScreenshot } from "./screenshot.ts";
import type { Session } from "./session.ts";
import type { KeptSettings } from "./settings.ts";

export interface ActsHost {
  readonly session: Session | null;
  readonly model: PanelModel;
  readonly messages: Messages;
  readonly settings: KeptSettings;
  patch(change: Partial<PanelModel>): void;
  toast(words: string, refusal: boolean): void;
  endMotion(): void;
  /** Puts the focus back on the button of this popover. */
  returnFocus(to: string): void;
  dispatchEvent(event: Event): boolean;
}

/** A control that has no answer after this long shows that it works on it. ms. */
const BUSY_AFTER_MS = 300;

export function makeActs(host: ActsHost): Acts {
  const outcome = (result: Outcome | "no-control"): boolean => {
    const t = host.messages;
    if (result === "no-control") {
      host.toast(host.model.link.is === "open" ? t.controlRefused : t.notConnected, true);
      return false;
    }
    if (result.ok) return true;
    const { refusal } = result;
    const words = { "not-connected": t.notConnected, lost: t.answerLost, "no-answer": t.noAnswer };
    host.toast(refusal.why === "refused" ? refusal.words : words[refusal.why], true);
    return false;
  };

  const used = (): void => {
    if (host.model.usedAControl) return;
    host.settings.keep({ usedAControl: true });
    host.patch({ usedAControl: true });
  };

  const busyWhile = async <R>(id: ActionId | null, work: Promise<R>): Promise<R> => {
    if (id === null) return work;
    const timer = setTimeout(() => host.patch({ busy: new Set([...host.model.busy, id]) }), BUSY_AFTER_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      if (host.model.busy.has(id)) host.patch({ busy: new Set([...host.model.busy].filter((other) => other !== id)) });
    }
  };

  const control = async (asked: DeviceControl, id: ActionId | null = null): Promise<boolean> => {
    const { session } = host;
    if (session === null) return false;
    used();
    // A turn starts from the angle shown; anything else ends what still moves.
    if (asked.action !== "rotate") host.endMotion();
    const result = await busyWhile(id, session.press(asked));
    const done = outcome(result);
    if (done && result !== "no-control" && result.ok && asked.action === "status_bar") {
      const { words } = result.answer;
      if (words !== undefined && asked.to === "live" && host.model.state?.platform === "ios" && /battery/i.test(words))
        host.toast(words, false);
    }
    return done;
  };

  const screenshot = async (): Promise<void> => {
    const { session } = host;
    if (session === null) return;
    const asking = session.ask({ id: newId(), type: "screenshot" });
    const name = host.model.state?.model ?? host.messages.unnamedDevice;
    const came = await busyWhile("screenshot", putScreenshot(asking, name, window));
    if (came === "copied") host.toast(host.messages.screenshotCopied, false);
    else if (came === "downloaded") host.toast(host.messages.screenshotDownloaded, false);
    else outcome(came);
  };

  const close = (): void => {
    const { popover } = host.model;
    if (popover === null) return;
    host.patch({ popover: null, page: "main", refusedFields: new Set() });
    host.returnFocus(popover);
  };

  const toggle = (popover: PopoverId): void => {
    if (host.model.popover === popover) return close();
    host.patch({ popover, page: "main", switchTo: null, refusedFields: new Set() });
    if (popover === "picker") host.dispatchEvent(new CustomEvent("picker-opens"));
  };

  const switchTo = (device: string): void => {
    host.patch({ popover: null, page: "main" });
    host.returnFocus("picker");
    void control({ action: "switch", device });
  };

  return {
    takeControl: () => host.session?.takeControl(),
    handBack: () => host.session?.handBack(),
    action: (id, place) => {
      if (id === "screenshot") return void screenshot();
      if (id === "fold" || id === "text-size" || id === "more") return toggle(id);
      const asked = controlOf(id, host.model.state, place);
      if (asked !== null) void control(asked, id);
    },
    control,
    toggle,
    close,
    turnTo: (page) => host.patch({ page, refusedFields: new Set() }),
    choose: (device) => {
      if (device === host.model.state?.model) return close();
      if (host.model.hello?.bootedHere.includes(device) === true) return switchTo(device);
      host.patch({ page: "switch", switchTo: device });
    },
    switchTo,
    refuseFields: (fields) => host.patch({ refusedFields: new Set(fields) }),
    openLink: async (url) => {
      const { session } = host;
      if (session === null) return false;
      used();
      return outcome(await session.askWithControl({ id: newId(), type: "open", url }));
    },
    typeText: async (text) => {
      const { session } = host;
      if (session === null) return false;
      used();
      return outcome(await session.askWithControl({ id: newId(), type: "paste", text }));
    },
    paste: async (text) => {
      const { session } = host;
      if (session === null) return;
      if (outcome(await session.askWithControl({ id: newId(), type: "paste", text }))) host.toast(host.messages.pasted, false);
    },
    connectNow: () => host.session?.connectNow(),
    setShowFrame: (showFrame) => {
      host.settings.keep({ showFrame });
      host.patch({ showFrame });
    },
    setPixelForPixel: (pixelForPixel) => {
      host.settings.keep({ pixelForPixel });
      host.patch({ pixelForPixel });
    },
    chooseBox: (id) => {
      host.patch({ popover: null });
      host.dispatchEvent(new CustomEvent("choose-box", { detail: { id } }));
    },
    showDesktop: () => {
      host.patch({ popover: null });
      host.dispatchEvent(new CustomEvent("show-desktop"));
    },
    toast: (words, refusal) => host.toast(words, refusal),
    dismiss: () => host.patch({ toast: null }),
  };
}
