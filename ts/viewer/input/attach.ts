/** Joins the screen's element to what the device takes: pointers, wheel, keys, composed text and pastes. */
import type { Session } from "#viewer/panel/session.ts";
import { newId } from "#viewer/stream/requests.ts";
import type { FrameView } from "#viewer/frame/frame-view.ts";
import type { XY } from "#viewer/frame/turn.ts";
import { KeyboardInput } from "./keyboard.ts";
import { PointerInput } from "./pointer.ts";

export interface InputDeps {
  /** The screen's element: takes pointers. */
  readonly app: HTMLElement;
  /** The field inside it that takes keys. */
  readonly keys: HTMLTextAreaElement;
  readonly frame: FrameView;
  readonly session: () => Session | null;
  readonly window: Window;
  /** A press without control: sends nothing, points at Take control. */
  readonly pressNeedsControl: () => void;
  /** F6, forwards or back. */
  readonly leave: (back: boolean) => void;
  /** Enter on the screen without control. */
  readonly enterPressed: () => void;
  /** A paste's text, or null when the clipboard had none. */
  readonly pasted: (text: string | null) => void;
  readonly contactsChanged: (input: PointerInput) => void;
  /** Something is open that this press closes instead of reaching the device. True: swallow it. */
  readonly pressCloses: () => boolean;
}

export interface AttachedInput {
  readonly pointer: PointerInput;
  readonly keyboard: KeyboardInput;
  /** Lets go of everything: control or the connection went. */
  release(): void;
}

export function attachInput(deps: InputDeps): AttachedInput {
  const { app, keys, frame, window } = deps;
  const send = (command: Parameters<Session["send"]>[0]): void => deps.session()?.send(command);
  const pointer = new PointerInput({
    toVideo: (page, clamp) => frame.pageToVideo(page, clamp),
    mirrored: (video: XY) => {
      const size = frame.picture?.size ?? { width: 0, height: 0 };
      return { x: size.width - 1 - video.x, y: size.height - 1 - video.y };
    },
    generation: () => {
      const session = deps.session();
      return session === null || session.held ? null : (session.shown?.generation ?? null);
    },
    send,
    onNextFrame: (run) => {
      const handle = window.requestAnimationFrame(run);
      return () => window.cancelAnimationFrame(handle);
    },
  });
  const keyboard = new KeyboardInput(send, (text) => {
    const session = deps.session();
    if (session !== null) void session.askWithControl({ id: newId(), type: "text", text });
  });

  /** Whether a press may reach the device. From nobody, a person's first press takes control. */
  const mayPress = (): boolean => {
    const session = deps.session();
    if (session === null || session.model.link.is !== "open") return false;
    const { holder } = session.model;
    if (holder === "you") return true;
    if (holder !== "none") {
      deps.pressNeedsControl();
      return false;
    }
    session.takeControl();
    return true;
  };

  app.addEventListener("pointerdown", (event) => {
    if (deps.pressCloses()) {
      event.preventDefault();
      return;
    }
    if (event.pointerType === "mouse" && !pointer.active) keys.focus({ preventScroll: true });
    event.preventDefault();
    if (frame.pageToVideo({ x: event.clientX, y: event.clientY }, false) === null || !mayPress()) return;
    if (pointer.down(event)) app.setPointerCapture(event.pointerId);
    deps.contactsChanged(pointer);
  });
  app.addEventListener("pointermove", (event) => {
    for (const step of event.getCoalescedEvents?.().slice(-1) ?? []) pointer.move(step);
    if ((event.getCoalescedEvents?.().length ?? 0) === 0) pointer.move(event);
    if (pointer.active) deps.contactsChanged(pointer);
  });
  const lift = (event: PointerEvent): void => {
    pointer.up(event);
    deps.contactsChanged(pointer);
  };
  app.addEventListener("pointerup", lift);
  app.addEventListener("pointercancel", () => {
    pointer.cancel();
    deps.contactsChanged(pointer);
  });
  app.addEventListener("contextmenu", (event) => event.preventDefault());
  app.addEventListener(
    "wheel",
    (event) => {
      const session = deps.session();
      // In Pixel for pixel without control the wheel scrolls the stage, as it does anywhere.
      if (session === null || session.model.holder !== "you" || session.model.link.is !== "open") return;
      if (pointer.wheel(event)) event.preventDefault();
    },
    { passive: false },
  );

  const hasControl = (): boolean => {
    const model = deps.session()?.model;
    return model?.holder === "you" && model.link.is === "open";
  };
  keys.addEventListener("keydown", (event) => {
    if (event.key === "F6") {
      event.preventDefault();
      keyboard.release();
      deps.leave(event.shiftKey);
      return;
    }
    if (!hasControl()) {
      if (event.key === "Enter") {
        event.preventDefault();
        deps.enterPressed();
      }
      return;
    }
    if (keyboard.press(event) === "kept") {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  keys.addEventListener("keyup", (event) => {
    if (keyboard.lift(event) === "kept") event.preventDefault();
  });
  keys.addEventListener("compositionstart", () => keyboard.compositionStart());
  keys.addEventListener("compositionend", (event) => {
    keys.value = "";
    if (hasControl()) keyboard.compositionEnd(event.data);
    else keyboard.compositionEnd("");
  });
  keys.addEventListener("input", (event) => {
    // What the composition commits comes by its own event; an input event during it is not yet text.
    if (event instanceof InputEvent && (event.isComposing || event.inputType === "insertCompositionText")) return;
    const text = keys.value;
    keys.value = "";
    if (hasControl()) keyboard.inserted(text);
  });
  keys.addEventListener("paste", (event) => {
    event.preventDefault();
    if (!hasControl()) return;
    // Control or Command is still down here; on the device it would make another chord of the server's own paste key.
    keyboard.release();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    deps.pasted(text === "" ? null : text);
  });
  keys.addEventListener("blur", () => keyboard.release());
  window.addEventListener("blur", () => {
    keyboard.release();
    pointer.cancel();
  });

  return {
    pointer,
    keyboard,
    release: () => {
      pointer.cancel();
      keyboard.release();
    },
  };
}
