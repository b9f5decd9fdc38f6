/** The two ways to a picture on the canvas, video and stills, behind one face. This is where the browser's own classes come in. */
import { findSps } from "#h264/annexb.ts";
import { codecString } from "#h264/sps.ts";
import type { CanvasPicture } from "#viewer/frame/frame-view.ts";
import type { StillsWhy } from "#viewer/panel/model.ts";
import type { Screenplay, Session } from "#viewer/panel/session.ts";
import type { PictureCanvas } from "./canvas.ts";
import { VideoPlayer } from "./player.ts";
import { StillsPlayer } from "./stills.ts";

export interface ScreenplayDeps {
  readonly canvas: PictureCanvas;
  readonly session: Session;
  readonly window: Window;
  /** A picture has just been drawn. */
  readonly drawn: (picture: CanvasPicture) => void;
}

/** What a details pane shows of the stream. */
export interface PlayFigures {
  readonly drawn: number;
  readonly errors: number;
  /** From a unit's arrival to its picture, the newest last. ms. */
  readonly timesMs: readonly number[];
}

/** Why this page cannot play H.264 at all; null when only trying will tell. */
export function cannotPlay(window: Window & typeof globalThis): StillsWhy | null {
  if ("VideoDecoder" in window && typeof window.VideoDecoder === "function") return null;
  return window.isSecureContext ? "no-decoder" : "insecure";
}

/** A key unit's codec string; null when its SPS cannot be read. */
export function codecOf(unit: Uint8Array): string | null {
  const sps = findSps(unit);
  if (sps === null) return null;
  try {
    return codecString(sps);
  } catch {
    return null;
  }
}

export function makeScreenplay(deps: ScreenplayDeps): Screenplay & { readonly figures: () => PlayFigures } {
  const { canvas, session, window } = deps;
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = window.setTimeout(run, ms);
    return () => window.clearTimeout(timer);
  };
  const put = (source: CanvasImageSource, size: { width: number; height: number }, generation: number): boolean => {
    const picture = session.pictureFor(generation, size);
    if (picture === null) return false;
    canvas.draw(source, size);
    deps.drawn(picture);
    return true;
  };
  const video = new VideoPlayer<VideoFrame, EncodedVideoChunk>({
    makeDecoder: (callbacks) => new VideoDecoder(callbacks),
    makeChunk: (unit) => new EncodedVideoChunk(unit),
    codecOf,
    draw: (frame, unit) => put(frame, { width: frame.displayWidth, height: frame.displayHeight }, unit.generation),
    onNextFrame: (run) => {
      const handle = window.requestAnimationFrame(run);
      return () => window.cancelAnimationFrame(handle);
    },
    after,
    nowMs: () => window.performance.now(),
    requestKeyFrame: () => session.send({ do: "key-frame" }),
    ack: (id) => session.send({ do: "ack", id }),
    onCannotPlay: () => session.fallBack("no-decoder"),
  });
  const stills = new StillsPlayer<ImageBitmap>({
    decode: (png) => createImageBitmap(new Blob([png.slice().buffer], { type: "image/png" })),
    draw: (image, generation) => put(image, { width: image.width, height: image.height }, generation),
  });
  return {
    unit: (unit) => {
      if (session.model.stills === null) video.push(unit);
    },
    still: (still) => void stills.show(still),
    pause: () => video.pause(),
    redraw: () => {
      video.redraw();
      stills.redraw();
    },
    close: () => video.close(),
    figures: () => ({ drawn: video.drawn + stills.drawn, errors: video.errors, timesMs: video.timesMs }),
  };
}
