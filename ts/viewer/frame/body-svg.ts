/** The body as SVG text, from numbers alone: no maker's artwork, no logo, no reflections. CSS px, upright. */
import type { BodyNumbers, DrawnBody } from "./numbers.ts";

/** Buttons stand out of the body by this share of the rim, within these limits, and reach under it. CSS px. */
const BUTTON_OUT = { share: 0.55, least: 1.5, most: 3.5 };
const BUTTON_UNDER = 3;
/** Room round the body for buttons and lines. CSS px. */
export const BODY_MARGIN = 6;
/** A body narrower than this has no hinge drawn. CSS px. */
const HINGE_FROM_WIDTH = 200;
const HINGE_WIDTH = 18;

export type Theme = "light" | "dark";

const EDGE: Record<Theme, readonly [number, number, number]> = { dark: [0.34, 0.24, 0.28], light: [0.22, 0.05, 0.02] };

const n = (value: number): string => String(Math.round(value * 100) / 100);

function rect(x: number, y: number, width: number, height: number, radius: number, attributes: string): string {
  const r = Math.max(0, Math.min(radius, width / 2, height / 2));
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, width))}" height="${n(Math.max(0, height))}" rx="${n(r)}" ${attributes}/>`;
}

function buttons(numbers: BodyNumbers, body: DrawnBody, theme: Theme): string {
  const out = Math.min(Math.max(BUTTON_OUT.share * body.rim, BUTTON_OUT.least), BUTTON_OUT.most);
  const radius = Math.min(0.6 * out, 1.6);
  const line = theme === "dark" ? 'stroke="#fff" stroke-opacity=".22"' : 'stroke="#000" stroke-opacity=".25"';
  const look = `fill="#3F4147" ${line} stroke-width=".6"`;
  return numbers.buttons
    .map(({ edge, from, to }) => {
      const along = edge === "top" ? body.width : body.height;
      const start = from * along;
      const length = (to - from) * along;
      const deep = out + BUTTON_UNDER;
      if (edge === "left") return rect(-out, start, deep, length, radius, look);
      if (edge === "right") return rect(body.width - BUTTON_UNDER, start, deep, length, radius, look);
      return rect(start, -out, length, deep, radius, look);
    })
    .join("");
}

function hinge(numbers: BodyNumbers, body: DrawnBody): string {
  if (numbers.crease === null || body.width < HINGE_FROM_WIDTH) return "";
  const along = numbers.crease === "vertical";
  const middle = (along ? body.width : body.height) / 2;
  const end = along ? body.height : body.width;
  return [0, end - body.rim]
    .map((at) => {
      const bar = along
        ? rect(middle - HINGE_WIDTH / 2, at, HINGE_WIDTH, body.rim, 0, 'fill="#000" fill-opacity=".34"')
        : rect(at, middle - HINGE_WIDTH / 2, body.rim, HINGE_WIDTH, 0, 'fill="#000" fill-opacity=".34"');
      const lines = [middle - HINGE_WIDTH / 2 - 0.75, middle + HINGE_WIDTH / 2]
        .map((side) =>
          along
            ? rect(side, at, 0.75, body.rim, 0, 'fill="#fff" fill-opacity=".2"')
            : rect(at, side, body.rim, 0.75, 0, 'fill="#fff" fill-opacity=".2"'),
        )
        .join("");
      return bar + lines;
    })
    .join("");
}

/** What lies under the screen: buttons, metal, its lit edge, hinge and glass. `id` keeps two frames' gradients apart. */
export function bodySvg(numbers: BodyNumbers, body: DrawnBody, theme: Theme, id: string): string {
  const [near, middle, far] = EDGE[theme];
  const { width, height, radius, rim } = body;
  const box = `${-BODY_MARGIN} ${-BODY_MARGIN} ${n(width + 2 * BODY_MARGIN)} ${n(height + 2 * BODY_MARGIN)}`;
  const gradient = (name: string, stops: string): string =>
    `<linearGradient id="${id}-${name}" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="${n(width)}" y2="${n(height)}">${stops}</linearGradient>`;
  const metal =
    '<stop offset="0" stop-color="#55575E"/><stop offset=".34" stop-color="#3A3B41"/><stop offset=".68" stop-color="#323338"/><stop offset="1" stop-color="#3C3E44"/>';
  const lit = `<stop offset="0" stop-color="#fff" stop-opacity="${near}"/><stop offset=".5" stop-color="#fff" stop-opacity="${middle}"/><stop offset="1" stop-color="#fff" stop-opacity="${far}"/>`;
  return (
    `<svg viewBox="${box}" width="${n(width + 2 * BODY_MARGIN)}" height="${n(height + 2 * BODY_MARGIN)}" aria-hidden="true" focusable="false">` +
    `<defs>${gradient("metal", metal)}${gradient("edge", lit)}</defs>` +
    buttons(numbers, body, theme) +
    rect(0, 0, width, height, radius, `fill="url(#${id}-metal)"`) +
    rect(0.5, 0.5, width - 1, height - 1, radius - 0.5, `fill="none" stroke="url(#${id}-edge)" stroke-width="1"`) +
    hinge(numbers, body) +
    rect(rim, rim, width - 2 * rim, height - 2 * rim, radius - rim, 'fill="#060607" stroke="#000" stroke-opacity=".5" stroke-width="1"') +
    "</svg>"
  );
}

interface Stop {
  readonly at: number;
  readonly color: string;
  readonly opacity: number;
}

const FAINT: readonly Stop[] = [
  { at: 47.6, color: "#04080c", opacity: 0 },
  { at: 49.2, color: "#04080c", opacity: 0.04 },
  { at: 49.95, color: "#04080c", opacity: 0.075 },
  { at: 50.05, color: "#ffffff", opacity: 0.1 },
  { at: 52, color: "#ffffff", opacity: 0 },
];
const SHADED: readonly Stop[] = [
  { at: 35, color: "#04080c", opacity: 0 },
  { at: 43, color: "#04080c", opacity: 0.07 },
  { at: 49.6, color: "#04080c", opacity: 0.26 },
  { at: 50, color: "#04080c", opacity: 0.34 },
  { at: 50.3, color: "#04080c", opacity: 0.18 },
  { at: 55, color: "#04080c", opacity: 0.06 },
  { at: 63, color: "#04080c", opacity: 0 },
];

function creaseGradient(stops: readonly Stop[], along: boolean, id: string): string {
  const marks = stops.map(({ at, color, opacity }) => `<stop offset="${at}%" stop-color="${color}" stop-opacity="${opacity}"/>`).join("");
  return `<linearGradient id="${id}" x1="0" y1="0" x2="${along ? 1 : 0}" y2="${along ? 0 : 1}">${marks}</linearGradient>`;
}

/** What lies over the picture: the island and the crease, in the screen's box. `half` shades the crease. */
export function overSvg(
  numbers: BodyNumbers,
  body: DrawnBody,
  id: string,
): { readonly cutout: string; readonly faint: string; readonly shaded: string } {
  const { screen, corner, rim, bezel } = body;
  const scale = screen.width / numbers.screen.width;
  const open = (inner: string, x: number, y: number, width: number, height: number): string =>
    `<svg viewBox="${n(x)} ${n(y)} ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}" aria-hidden="true" focusable="false">${inner}</svg>`;
  const hole = numbers.cutout;
  const cutout =
    hole === null
      ? ""
      : open(
          rect(
            hole.x * scale,
            hole.y * scale,
            hole.width * scale,
            hole.height * scale,
            (Math.min(hole.width, hole.height) / 2) * scale,
            'fill="#000"',
          ),
          0,
          0,
          screen.width,
          screen.height,
        );
  if (numbers.crease === null) return { cutout, faint: "", shaded: "" };
  const along = numbers.crease === "vertical";
  const faint = open(
    `<defs>${creaseGradient(FAINT, along, `${id}-faint`)}</defs>${rect(0, 0, screen.width, screen.height, corner, `fill="url(#${id}-faint)"`)}`,
    0,
    0,
    screen.width,
    screen.height,
  );
  const inset = rim + bezel;
  const middle = along ? screen.width / 2 : screen.height / 2;
  const foldLine = along
    ? rect(middle - 0.5, 0, 1, screen.height, 0, 'fill="#fff" fill-opacity=".16"')
    : rect(0, middle - 0.5, screen.width, 1, 0, 'fill="#fff" fill-opacity=".16"');
  // The fold's shadow also crosses the glass and the rim, beyond the screen's own box.
  const glass = [-inset, along ? screen.height : screen.width]
    .map((at) =>
      along
        ? rect(middle - HINGE_WIDTH / 2, at, HINGE_WIDTH, inset, 0, 'fill="#000" fill-opacity=".28"')
        : rect(at, middle - HINGE_WIDTH / 2, inset, HINGE_WIDTH, 0, 'fill="#000" fill-opacity=".28"'),
    )
    .join("");
  const shaded = open(
    `<defs>${creaseGradient(SHADED, along, `${id}-shaded`)}</defs>${rect(0, 0, screen.width, screen.height, corner, `fill="url(#${id}-shaded)"`)}${foldLine}${glass}`,
    -inset,
    -inset,
    body.width,
    body.height,
  );
  return { cutout, faint, shaded };
}
