/** The screen as elements: uiautomator's dump, parsed. A tree server in the device can take its place. */
import type { DeviceElement, Orientation, Rect, Size } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import { fractionFromNatural, fractionToNatural, orientationAt, quartersOf, sizeTurned } from "#core/geometry.ts";

import type { AdbShell } from "./adb.ts";
import { parseXml, type XmlNode } from "./xml.ts";

/** Where a faster reader plugs in: a server that stays in the device and answers in milliseconds. */
export interface TreeSource {
  /** The tree in the video's pixels; null when it cannot run now, so that the dump is used. */
  read(): Promise<readonly DeviceElement[] | null>;
  close(): Promise<void>;
}

const DUMP = "/data/local/tmp/bb-box-device-tree.xml";
const DUMP_TIMEOUT_MS = 15_000;

/** How the picture is turned, and its size. */
export interface PictureGeometry {
  readonly content: Orientation;
  readonly video: Size;
}

/** Reads the screen. Android lets one UiAutomation client in at a time, and the dump is one: it would end a test that runs. */
export async function readTree(
  shell: AdbShell,
  source: TreeSource | null,
  geometry: PictureGeometry | null,
): Promise<readonly DeviceElement[]> {
  const running = await shell.shell("dumpsys activity processes | grep -A 1 'Active instrumentation'", { anyCode: true });
  if (running.includes("Active instrumentation")) {
    throw new DeviceError(
      "failed",
      "An instrumentation test is running on the device, and reading its elements would stop it. Take a screenshot instead, or try again when the test is over.",
    );
  }
  const fast = await source?.read();
  if (fast !== null && fast !== undefined) return fast;
  const line = `uiautomator dump ${DUMP} 2>&1 && cat ${DUMP} && rm -f ${DUMP}`;
  const text = await shell.shell(line, { timeoutMs: DUMP_TIMEOUT_MS, anyCode: true });
  const start = text.indexOf("<?xml");
  if (start < 0) {
    const said = /ERROR: .*/.exec(text)?.[0] ?? text.trim().split("\n")[0] ?? "";
    throw new DeviceError("failed", `Android did not give the screen's elements: ${said === "" ? "it said nothing." : said}`);
  }
  return parseDump(text.slice(start), geometry);
}

/**
 * uiautomator's XML as elements. Nodes with no size are left out; what lies in them is kept. The dump's places are of the screen as the
 * app in front draws it; with a geometry they are turned to the picture, which the emulator turns as the device is held.
 */
export function parseDump(text: string, geometry: PictureGeometry | null = null): readonly DeviceElement[] {
  const root = parseXml(text);
  const elements = root.children.flatMap(elementsOf);
  // Android's rotation counts as ours does: 1 is drawn for a device that is turned left.
  const drawn = orientationAt(Number(root.attributes.get("rotation") ?? "0") || 0);
  if (geometry === null || quartersOf(drawn) === quartersOf(geometry.content)) return elements;
  const { content, video } = geometry;
  const screen = sizeTurned(sizeTurned(video, content), drawn);
  const place = (x: number, y: number) => {
    const at = fractionFromNatural(fractionToNatural({ x: x / screen.width, y: y / screen.height }, drawn), content);
    return { x: Math.round(at.x * video.width), y: Math.round(at.y * video.height) };
  };
  const moved = (element: DeviceElement): DeviceElement => {
    const { x, y, width, height } = element.frame;
    const [a, b] = [place(x, y), place(x + width, y + height)];
    const frame = { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
    return { ...element, frame, children: element.children.map(moved) };
  };
  return elements.map(moved);
}

function elementsOf(node: XmlNode): readonly DeviceElement[] {
  const children = node.children.flatMap(elementsOf);
  const frame = boundsOf(node.attributes.get("bounds") ?? "");
  if (frame === null || frame.width === 0 || frame.height === 0) return children;
  const is = (name: string) => node.attributes.get(name) === "true";
  const name = node.attributes.get("class") ?? "";
  const text = node.attributes.get("text") ?? "";
  const described = node.attributes.get("content-desc") ?? "";
  const hint = node.attributes.get("hint") ?? "";
  const edit = name.endsWith("EditText");
  const role = roleOf(name);
  const element: DeviceElement = {
    role,
    identifier: filled(node.attributes.get("resource-id")),
    label: (edit ? described || hint : described || text || hint) || "",
    value: valueOf({ role, edit, text, described, checkable: is("checkable"), checked: is("checked"), empty: children.length === 0 }),
    frame,
    enabled: is("enabled"),
    focused: is("focused"),
    can: { tap: is("clickable") || is("long-clickable") || is("checkable"), edit, scroll: is("scrollable") },
    children,
  };
  return [element];
}

function valueOf(about: {
  readonly role: string;
  readonly edit: boolean;
  readonly text: string;
  readonly described: string;
  readonly checkable: boolean;
  readonly checked: boolean;
  readonly empty: boolean;
}): string | null {
  if (about.checkable) return about.checked ? "on" : "off";
  if (about.edit) return about.text;
  if (about.role === "web view" && about.empty) return "The page's contents are not in the tree. Use a screenshot.";
  return about.described !== "" && about.text !== "" ? about.text : null;
}

const ROLES: readonly (readonly [RegExp, string])[] = [
  [/(?:Image|Floating\w*)?Button$|Chip$/, "button"],
  [/EditText$/, "text field"],
  [/Switch\w*$|ToggleButton$/, "switch"],
  [/CheckBox$|CheckedTextView$/, "check box"],
  [/RadioButton$/, "radio button"],
  [/SeekBar$|RatingBar$/, "slider"],
  [/ProgressBar$/, "progress"],
  [/ImageView$/, "image"],
  [/TextView$/, "static text"],
  [/Spinner$/, "menu"],
  [/WebView$/, "web view"],
  [/RecyclerView$|ListView$|GridView$/, "list"],
  [/ScrollView$|ViewPager\d?$/, "scroll area"],
  [/TabWidget$|TabLayout$/, "tab bar"],
  [/Toolbar$|ActionBar$/, "toolbar"],
];

function roleOf(className: string): string {
  const name = className.slice(className.lastIndexOf(".") + 1);
  return ROLES.find(([pattern]) => pattern.test(name))?.[1] ?? "group";
}

/** "[0,63][1080,210]". */
function boundsOf(text: string): Rect | null {
  const match = /^\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]$/.exec(text);
  if (match === null) return null;
  const [x, y, right, bottom] = match.slice(1).map(Number) as [number, number, number, number];
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}

function filled(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
