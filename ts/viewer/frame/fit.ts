/** Where everything on the stage goes: pure arithmetic over the panel's size. All lengths are CSS px unless named otherwise. */
import type { Orientation, Size } from "#core/device.ts";
import { type BodyNumbers, type DrawnBody, drawnBody, scaleToFit, snappedBody } from "./numbers.ts";
import { isSideways } from "./turn.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the bar holds, and how tall it would be beside the frame with and without some of it. */
export interface BarMeasures {
  /** 44 with a mouse, 52 on touch. */
  readonly width: number;
  /** Height beside the frame with this many controls left out for the top of More, in the order they leave. */
  readonly heights: readonly [number, ...number[]];
  /** The row's own size below the frame. */
  readonly row: Size;
}

export interface FitInput {
  readonly stage: Size;
  readonly dpr: number;
  readonly numbers: BodyNumbers;
  readonly physical: Orientation;
  readonly showFrame: boolean;
  readonly pixelForPixel: boolean;
  /** A strip of words stands above the frame. */
  readonly strip: boolean;
  /** A line of words that lasts stands below the frame. */
  readonly caption: boolean;
  /** A line of words stands below the row or the bar (the first-time line). */
  readonly note: boolean;
  readonly bar: BarMeasures;
}

export interface Fit {
  readonly scale: number;
  readonly place: "beside" | "row";
  /** How many controls have left the bar for More. */
  readonly left: number;
  readonly body: DrawnBody;
  /** The body as the reader sees it: turned. In the scrolled content's space. */
  readonly frame: Box;
  /** In the stage's space: the bar does not scroll. */
  readonly bar: Box;
  /** The scrolled content's size; the stage's own unless Pixel for pixel overflows. */
  readonly content: Size;
}

const BAR_GAP = 20;
const ROW_ABOVE_EDGE = 12;
const ROW_GAP = 16;
const STRIP_HEIGHT = 52;
const CAPTION_HEIGHT = 28;
const NOTE_HEIGHT = 24;
/** Under this width the bar is always a row below the frame. */
const ROW_ONLY_UNDER = 480;
/** A screen narrower than this beside a bar moves the bar below, where that leaves the screen wider. */
const NARROW_SCREEN = 280;
const TURNED_GROWS_AT_MOST = 1.25;
const WIDE = 720;
const LEAST_SCALE = 0.01;

interface Room {
  readonly width: number;
  readonly height: number;
  readonly top: number;
}

function paddings(stage: Size): { readonly x: number; readonly y: number } {
  return stage.width < WIDE ? { x: 16, y: 16 } : { x: 16, y: 24 };
}

function roomFor(input: FitInput, place: "beside" | "row"): Room {
  const pad = paddings(input.stage);
  const above = pad.y + (input.strip ? STRIP_HEIGHT : 0);
  const under = input.caption ? CAPTION_HEIGHT : 0;
  const note = input.note ? NOTE_HEIGHT : 0;
  if (place === "beside")
    return {
      width: input.stage.width - 2 * pad.x - (input.bar.width + BAR_GAP),
      height: input.stage.height - above - pad.y - under,
      top: above,
    };
  return {
    width: input.stage.width - 2 * pad.x,
    height: input.stage.height - above - under - ROW_GAP - input.bar.row.height - ROW_ABOVE_EDGE - note,
    top: above,
  };
}

function seen(body: Size, sideways: boolean): Size {
  return sideways ? { width: body.height, height: body.width } : { width: body.width, height: body.height };
}

/** The largest scale for a room: never over one device px per physical px, and a turned device at most 1.25 of upright. */
function scaleIn(input: FitInput, room: Room): number {
  const most = 1 / input.dpr;
  if (input.pixelForPixel) return most;
  const { screen } = input.numbers;
  const fits = (across: number, down: number): number =>
    Math.min(
      scaleToFit(across, input.numbers, input.showFrame, room.width),
      scaleToFit(down, input.numbers, input.showFrame, room.height),
      most,
    );
  const upright = fits(screen.width, screen.height);
  const scale = isSideways(input.physical) ? Math.min(fits(screen.height, screen.width), upright * TURNED_GROWS_AT_MOST) : upright;
  return Math.max(LEAST_SCALE, scale);
}

function screenWidth(input: FitInput, scale: number): number {
  const { screen } = input.numbers;
  return (isSideways(input.physical) ? screen.height : screen.width) * scale;
}

/** How many controls must leave for the bar to stand in the stage; null when it never does. */
function controlsThatLeave(input: FitInput): number | null {
  const index = input.bar.heights.findIndex((height) => height <= input.stage.height - 32);
  return index < 0 ? null : index;
}

/** Lays out the frame and its bar. */
export function fit(input: FitInput): Fit {
  const leave = controlsThatLeave(input);
  const beside = scaleIn(input, roomFor(input, "beside"));
  const below = scaleIn(input, roomFor(input, "row"));
  const besideIsNarrow = screenWidth(input, beside) < NARROW_SCREEN && screenWidth(input, below) > screenWidth(input, beside) + 0.5;
  const place = input.stage.width < ROW_ONLY_UNDER || leave === null || besideIsNarrow ? "row" : "beside";
  const room = roomFor(input, place);
  const scale = place === "row" ? below : beside;
  const body = snappedBody(drawnBody(input.numbers, scale, input.showFrame), input.dpr);
  const size = seen(body, isSideways(input.physical));
  const left = place === "row" ? 0 : (leave ?? 0);
  const barSize = place === "row" ? input.bar.row : { width: input.bar.width, height: input.bar.heights[left] ?? input.bar.heights[0] };
  if (input.pixelForPixel) return scrolled(input, { scale, place, left, body, size, barSize });

  const snap = (value: number): number => Math.round(value * input.dpr) / input.dpr;
  if (place === "row") {
    const bar: Box = {
      x: snap((input.stage.width - barSize.width) / 2),
      y: input.stage.height - ROW_ABOVE_EDGE - (input.note ? NOTE_HEIGHT : 0) - barSize.height,
      ...sized(barSize),
    };
    const free = bar.y - ROW_GAP - room.top - (input.caption ? CAPTION_HEIGHT : 0);
    const frame: Box = {
      x: snap((input.stage.width - size.width) / 2),
      y: snap(room.top + Math.max(0, (free - size.height) / 2)),
      ...size,
    };
    return { scale, place, left, body, frame, bar, content: input.stage };
  }
  // Centred in the panel while the bar has room at its right; else the two are centred as a pair.
  const asPair = size.width > input.stage.width - 2 * (paddings(input.stage).x + input.bar.width + BAR_GAP);
  const whole = asPair ? size.width + BAR_GAP + input.bar.width : size.width;
  const x = snap((input.stage.width - whole) / 2);
  const y = snap(room.top + Math.max(0, (room.height - size.height) / 2));
  const barY = Math.min(Math.max(y + (size.height - barSize.height) / 2, 16), input.stage.height - 16 - barSize.height);
  return {
    scale,
    place,
    left,
    body,
    frame: { x, y, ...size },
    bar: { x: x + size.width + BAR_GAP, y: snap(barY), ...sized(barSize) },
    content: input.stage,
  };
}

function sized(size: Size): Size {
  return { width: size.width, height: size.height };
}

interface Placed {
  readonly scale: number;
  readonly place: "beside" | "row";
  readonly left: number;
  readonly body: DrawnBody;
  readonly size: Size;
  readonly barSize: Size;
}

/** Pixel for pixel: the frame scrolls, the bar stays at 16 from the panel's edge. */
function scrolled(input: FitInput, placed: Placed): Fit {
  const { stage } = input;
  const { size, barSize } = placed;
  const pad = paddings(stage);
  const above = pad.y + (input.strip ? STRIP_HEIGHT : 0);
  const below = (placed.place === "row" ? barSize.height + ROW_GAP + 16 : pad.y) + (input.caption ? CAPTION_HEIGHT : 0);
  const aside = placed.place === "beside" ? barSize.width + 16 + BAR_GAP : pad.x;
  const content = {
    width: Math.max(stage.width, size.width + pad.x + aside),
    height: Math.max(stage.height, size.height + above + below),
  };
  const snap = (value: number): number => Math.round(value * input.dpr) / input.dpr;
  const frame: Box = {
    x: snap(Math.max(pad.x, Math.min((content.width - size.width) / 2, content.width - aside - size.width))),
    y: snap(Math.max(above, (content.height - below - size.height + above) / 2)),
    ...size,
  };
  const bar: Box =
    placed.place === "row"
      ? { x: snap((stage.width - barSize.width) / 2), y: stage.height - 16 - barSize.height, ...sized(barSize) }
      : { x: stage.width - 16 - barSize.width, y: snap((stage.height - barSize.height) / 2), ...sized(barSize) };
  return { scale: placed.scale, place: placed.place, left: placed.left, body: placed.body, frame, bar, content };
}
