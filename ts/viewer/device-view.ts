/** `<device-view>`: one device in a drawn frame, a bar of controls beside it, a top bar above. Give it a port. */
import { LitElement, type PropertyValues, type TemplateResult, html, nothing } from "lit";
import { styles } from "#viewer/toolbar/styles.ts";
import { FrameView } from "./frame/frame-view.ts";
import { TouchesView } from "./frame/touches.ts";
import { en, type Messages } from "./i18n/messages.ts";
import { type AttachedInput, attachInput } from "./input/attach.ts";
import { makeActs, type ActsHost } from "./panel/acts.ts";
import { type Acts, type Context, widthsOf } from "./panel/context.ts";
import { FramePlace } from "./panel/frame-place.ts";
import { layOut, type Layout } from "./panel/layout.ts";
import { type PanelModel, type Toast, deviceName, firstModel } from "./panel/model.ts";
import { counts, screenSays, type ScreenSays } from "./panel/says.ts";
import { Session } from "./panel/session.ts";
import { Surroundings } from "./panel/surroundings.ts";
import { Ticker } from "./panel/ticker.ts";
import { StatsPoll } from "./panel/stats-poll.ts";
import { Voice } from "./panel/voice.ts";
import { type KeptSettings, keptSettings } from "./panel/settings.ts";
import { PictureCanvas } from "./stream/canvas.ts";
import { cannotPlay, makeScreenplay, type PlayFigures } from "./stream/screenplay.ts";
import type { DevicePort } from "./stream/port.ts";
import { barStyles } from "./style/bar.ts";
import { chromeStyles } from "./style/chrome.ts";
import { forcedStyles } from "./style/forced.ts";
import { pageStyles } from "./style/pages.ts";
import { popoverStyles } from "./style/popover.ts";
import { stageStyles } from "./style/stage.ts";
import { wordStyles } from "./style/words.ts";
import { tokenStyles } from "./style/tokens.ts";
import { barButtons } from "./toolbar/bar.ts";
import { BarPlace } from "./toolbar/bar-place.ts";
import { FocusPaths } from "./toolbar/focus.ts";
import { PopPlace } from "./toolbar/pop-place.ts";
import { popover } from "./toolbar/popover.ts";
import { Squeeze } from "./toolbar/squeeze.ts";
import { TipView } from "./toolbar/tip.ts";
import { controlStrip, topBar } from "./toolbar/top-bar.ts";
import { stageStrip, toastView } from "./toolbar/notices.ts";
import { caption, holderWords } from "./toolbar/captions.ts";
import { contentStyle, note, stageContent } from "./toolbar/stage.ts";

/** While a boot's or a reconnect's seconds show, they are counted this often. ms. */
const TICK_MS = 250;
const TOAST_MS = 3000;
const REFUSAL_MS = 8000;
/** The short-lived line under the frame. */
const HINT_MS = 2000;

export class DeviceView extends LitElement implements ActsHost {
  static override styles = [tokenStyles, chromeStyles, stageStyles, barStyles, wordStyles, popoverStyles, pageStyles, forcedStyles];

  /** Another language's words. */
  messages: Messages = en;
  /** Whose settings (Show frame, Pixel for pixel) are kept: the box's id. */
  box = "local";

  #port: DevicePort | null = null;
  #session: Session | null = null;
  #model: PanelModel = firstModel(0);
  readonly #canvas = new PictureCanvas(document);
  readonly frame = new FrameView(document, this.#canvas.element);
  readonly #touches = new TouchesView({
    layer: this.frame.over,
    place: (pixel) => this.frame.videoToOver(pixel),
    reducedMotion: () => this.#around.reducedMotion,
  });
  readonly #around = new Surroundings(window, {
    changed: () => this.requestUpdate(),
    density: () => this.#measure(),
    visible: (visible) => this.#session?.visible(visible),
  });
  readonly #acts: Acts = makeActs(this);
  readonly #tip = new TipView();
  readonly #focus = new FocusPaths(this);
  readonly #bar = new BarPlace();
  readonly #pop = new PopPlace({
    root: () => this.renderRoot,
    model: () => this.#model,
    close: () => this.#acts.close(),
    back: () => this.#acts.turnTo("main"),
    reducedMotion: () => this.#around.reducedMotion,
    barAt: () => this.#bar.at,
  });
  #figures: () => PlayFigures = () => ({ drawn: 0, errors: 0, timesMs: [] });
  #input: AttachedInput | null = null;
  #size = { width: 0, height: 0, stageWidth: 0, stageHeight: 0 };
  #layout: Layout | null = null;
  readonly #framePlace = new FramePlace(this.frame, this.#around);
  readonly #squeeze = new Squeeze();
  readonly #ticker = new Ticker(window, TICK_MS, () => this.requestUpdate());
  readonly #stats = new StatsPoll({
    session: () => this.#session,
    after: (ms, run) => {
      const timer = window.setTimeout(run, ms);
      return () => window.clearTimeout(timer);
    },
  });
  readonly #voice = new Voice(
    () => this.renderRoot,
    () => performance.now(),
  );
  #keyboardMode = false;
  readonly #observer = new ResizeObserver(() => this.#measure());

  /** Whether the page round this panel can show the box's desktop: then there is a switch, and it sends `show-desktop`. */
  set hasDesktop(hasDesktop: boolean) {
    this.patch({ hasDesktop });
  }

  /** The device's source. Set to another one to show another device; null ends it. */
  get port(): DevicePort | null {
    return this.#port;
  }
  set port(port: DevicePort | null) {
    this.#session?.close();
    this.#stats.stop();
    this.#port = port;
    this.#session = null;
    this.#input?.release();
    if (port === null) return;
    const kept = this.settings.read();
    const session = new Session(
      {
        port,
        now: () => performance.now(),
        after: (ms, run) => {
          const timer = window.setTimeout(run, ms);
          return () => window.clearTimeout(timer);
        },
        changed: (before, after) => this.#changed(before, after),
        touched: (touch) => this.#touches.show(touch),
        copied: (text) => void navigator.clipboard?.writeText(text).catch(() => undefined),
        repictured: (picture) => this.frame.setPicture(picture),
        refusedWithoutId: (words) => this.toast(words, true),
        cannotPlay: cannotPlay(window),
      },
      { ...kept, boxes: this.#model.boxes, box: this.box, hasDesktop: this.#model.hasDesktop },
    );
    this.#session = session;
    this.#voice.begins();
    const play = makeScreenplay({
      canvas: this.#canvas,
      session,
      window,
      drawn: (picture) => {
        session.drew(picture);
        this.frame.setPicture(picture);
        this.frame.setHeld(session.held);
      },
    });
    this.#figures = play.figures;
    this.#changed(this.#model, session.model);
    session.start(play);
    if (!this.#around.visible) session.visible(false);
  }

  // What the acts need of the element.

  get session(): Session | null {
    return this.#session;
  }
  get model(): PanelModel {
    return this.#model;
  }
  get settings(): KeptSettings {
    return keptSettings(window, this.box);
  }
  get figures(): PlayFigures {
    return this.#figures();
  }
  patch(change: Partial<PanelModel>): void {
    if (this.#session !== null) this.#session.update(change);
    else this.#changed(this.#model, { ...this.#model, ...change });
  }
  endMotion(): void {
    this.frame.endMotion();
  }
  toast(words: string, refusal: boolean): void {
    this.patch({ toast: { words, refusal } });
  }
  returnFocus(to: string): void {
    this.#focus.to(to);
  }

  /** The theme is read when the frame is drawn, so a change of it draws anew. */
  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, "theme"];
  }
  override attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    super.attributeChangedCallback(name, before, after);
    if (name === "theme") this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#around.connect();
    if (!this.hasAttribute("role")) this.setAttribute("role", "region");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#around.disconnect();
    this.#ticker.run(false);
    this.port = null;
  }

  override firstUpdated(): void {
    const root = this.renderRoot;
    const query = <E extends Element>(selector: string): E => {
      const found = root.querySelector<E>(selector);
      if (found === null) throw new Error(`The panel has no ${selector}.`);
      return found;
    };
    query(".content").prepend(this.frame.element);
    this.#observer.observe(this);
    this.#observer.observe(query(".stage-frame"));
    this.#tip.attach(query(".panel"), () => this.#around.coarse);
    this.#bar.attach(
      query(".bar"),
      () => this.#around.coarse,
      () => this.#around.reducedMotion,
    );
    this.#pop.attach(query(".panel"));
    this.#focus.attach(query(".panel"));
    this.#input = attachInput({
      app: query<HTMLElement>(".app"),
      keys: query<HTMLTextAreaElement>(".keys"),
      frame: this.frame,
      session: () => this.#session,
      window,
      pressNeedsControl: () => this.#pointAtControl(),
      leave: (back) => this.#focus.fromScreen(back),
      enterPressed: () => this.#acts.takeControl(),
      pasted: (text) => {
        if (text === null) this.toast(this.messages.clipboardEmpty, false);
        else void this.#acts.paste(text);
      },
      contactsChanged: (pointer) => this.#ownContacts(pointer.contacts),
      pressCloses: () => {
        if (this.#model.popover === null) return false;
        this.#acts.close();
        return true;
      },
    });
    root.addEventListener("keydown", () => this.#setKeyboardMode(true), true);
    root.addEventListener("pointerdown", () => this.#setKeyboardMode(false), true);
    query(".keys").addEventListener("focus", () => this.#keysGo());
    query(".keys").addEventListener("blur", () => this.#keysGo());
    this.#measure();
  }

  override render(): TemplateResult {
    const { t, model, widths } = this.#context;
    const context = this.#context;
    const layout = this.#layout;
    const says = this.#says();
    const classes = ["panel", widths.narrow ? "narrow" : "", this.#keyboardMode && model.keysGo ? "keyboard-on-screen" : ""].join(" ");
    return html`<div class=${classes}>
      <div class="top">${topBar(context)}</div>
      ${controlStrip(context)}
      <div class="stage-frame">
        <div class="stage ${model.pixelForPixel ? "scrolls" : ""}" tabindex=${model.pixelForPixel ? "0" : nothing}>
          <div class="content" ${styles(contentStyle(layout))}>
            ${stageContent(context, layout, says, caption(context, says, this.#keyboardMode))}
          </div>
        </div>
        ${stageStrip(context)}
        <div
          class="bar ${this.#place}"
          role="toolbar"
          aria-label=${t.controlsName}
          aria-orientation=${this.#place === "row" ? "horizontal" : "vertical"}
          ?hidden=${layout === null || says.kind === "no-device" || model.link.is === "refused"}
        >
          ${layout === null ? nothing : barButtons(context, layout.groups)}
        </div>
        ${note(context, layout)} ${popover(context, { groups: layout?.groups ?? [], figures: this.figures })}
        ${toastView(context, layout?.fit ?? null)}
      </div>
      <div class="tip" role="presentation" hidden></div>
      <div class="said" role="status" aria-live="polite"></div>
      <div class="said alert" role="alert"></div>
      <div class="said" id="screen-note">${holderWords(context)}</div>
    </div>`;
  }

  override updated(_changed: PropertyValues): void {
    const { model } = this.#context;
    this.setAttribute("aria-label", this.messages.deviceRegion({ name: deviceName(model) ?? this.messages.unnamedDevice }));
    const layout = this.#layout;
    const says = this.#says();
    const dims = says.kind === "asleep" || ("overPicture" in says && says.overPicture);
    const black = !dims && says.kind !== "nothing";
    if (layout !== null) {
      const { popover: open } = model;
      this.#bar.hold(open === "fold" || open === "text-size" || open === "more");
      const still = this.#framePlace.place(layout, model, { ...this.#size, theme: this.getAttribute("theme"), black });
      this.#bar.place(layout.fit.bar, !still);
    }
    this.frame.setDimmed(dims, black);
    this.frame.element.hidden = says.kind === "no-device";
    if (this.#session !== null) this.frame.setHeld(this.#session.held && model.pictured);
    if (this.#squeeze.changes(this.renderRoot, this.#size.width, model)) this.requestUpdate();
    this.#focus.refresh();
    this.#pop.updated();
    this.#ticker.run(counts(says));
  }

  get #context(): Context {
    const widths = widthsOf(this.#size.width, this.#squeeze.level);
    return { t: this.messages, model: this.#model, widths, coarse: this.#around.coarse, place: this.#place, acts: this.#acts };
  }

  get #place(): "beside" | "row" {
    return this.#layout?.fit.place ?? "beside";
  }

  #says(): ScreenSays {
    return screenSays(this.#model, performance.now(), Date.now());
  }

  #changed(before: PanelModel, after: PanelModel): void {
    this.#model = after;
    if (after.state?.geometry?.generation !== before.state?.geometry?.generation) this.#input?.pointer.interrupt();
    if ((before.holder === "you" && after.holder !== "you") || (before.link.is === "open" && after.link.is !== "open"))
      this.#input?.release();
    if (before.toast !== after.toast && after.toast !== null) this.#toastGoes(after.toast);
    if (before.hint !== after.hint && after.hint !== null) window.setTimeout(() => this.patch({ hint: null }), HINT_MS);
    if (before.holder !== after.holder) queueMicrotask(() => this.#keysGo());
    if (deviceName(before) !== deviceName(after)) this.dispatchEvent(new CustomEvent("device-name", { detail: deviceName(after) }));
    if (this.hasUpdated) this.#voice.change(before, after, this.messages);
    this.#stats.saw(after);
    this.#relayout();
    this.requestUpdate();
  }

  #toastGoes(toast: Toast): void {
    const shownMs = toast.refusal ? REFUSAL_MS : TOAST_MS;
    window.setTimeout(() => {
      if (this.#model.toast === toast) this.patch({ toast: null });
    }, shownMs);
    this.#voice.toast(toast);
  }

  #measure(): void {
    const stage = this.renderRoot.querySelector<HTMLElement>(".stage-frame");
    if (stage === null) return;
    this.#size = { width: this.clientWidth, height: this.clientHeight, stageWidth: stage.clientWidth, stageHeight: stage.clientHeight };
    this.#relayout();
    this.requestUpdate();
  }

  #relayout(): void {
    if (this.#size.stageWidth === 0) return;
    this.#layout = layOut({
      model: this.#model,
      stage: { width: this.#size.stageWidth, height: this.#size.stageHeight },
      dpr: window.devicePixelRatio,
      coarse: this.#around.coarse,
      canHover: this.#around.canHover,
    });
  }

  #pointAtControl(): void {
    this.patch({ hint: "press-needs-control" });
    const button = this.renderRoot.querySelector(".take");
    button?.classList.remove("pointed-at");
    requestAnimationFrame(() => button?.classList.add("pointed-at"));
  }

  #setKeyboardMode(on: boolean): void {
    if (this.#keyboardMode === on) return;
    this.#keyboardMode = on;
    this.#keysGo();
  }

  #keysGo(): void {
    const root = this.shadowRoot;
    const onScreen = root?.activeElement?.classList.contains("keys") ?? false;
    this.patch({ keysGo: onScreen && this.#model.holder === "you" && this.#keyboardMode });
    this.requestUpdate();
  }

  #ownContacts(contacts: readonly { readonly id: number; readonly x: number; readonly y: number }[]): void {
    if (contacts.length > 1) this.#touches.show({ contacts: [...contacts], by: "person", generation: 0 });
  }
}

if (!customElements.get("device-view")) customElements.define("device-view", DeviceView);
