/** The panel's icons: lucide's, at our line widths. */
import {
  AArrowDown,
  AArrowUp,
  ALargeSmall,
  Activity,
  ArrowLeft,
  BatteryMedium,
  BookOpen,
  Bot,
  Camera,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  Ellipsis,
  Gauge,
  Hand,
  House,
  Images,
  Keyboard,
  Link,
  LoaderCircle,
  Lock,
  MapPin,
  Monitor,
  Moon,
  Power,
  RotateCcwSquare,
  RotateCwSquare,
  Scan,
  Signal,
  Smartphone,
  SquareStack,
  Sun,
  SunMoon,
  Sunrise,
  Tablet,
  TriangleAlert,
  Undo2,
  Unplug,
  User,
  Wifi,
  WifiOff,
  X,
} from "lucide";
import { html, type TemplateResult } from "lit";
import { unsafeSVG } from "lit/directives/unsafe-svg.js";

type Node = readonly (readonly [tag: string, attributes: Readonly<Record<string, string | number | undefined>>])[];

const ICONS = {
  "a-arrow-down": AArrowDown,
  "a-arrow-up": AArrowUp,
  "a-large-small": ALargeSmall,
  activity: Activity,
  "arrow-left": ArrowLeft,
  "battery-medium": BatteryMedium,
  "book-open": BookOpen,
  bot: Bot,
  camera: Camera,
  check: Check,
  "chevron-down": ChevronDown,
  "chevron-left": ChevronLeft,
  "chevron-right": ChevronRight,
  ellipsis: Ellipsis,
  gauge: Gauge,
  hand: Hand,
  house: House,
  images: Images,
  keyboard: Keyboard,
  link: Link,
  "loader-circle": LoaderCircle,
  lock: Lock,
  "map-pin": MapPin,
  monitor: Monitor,
  moon: Moon,
  power: Power,
  "rotate-ccw-square": RotateCcwSquare,
  "rotate-cw-square": RotateCwSquare,
  scan: Scan,
  signal: Signal,
  smartphone: Smartphone,
  "square-stack": SquareStack,
  sun: Sun,
  "sun-moon": SunMoon,
  sunrise: Sunrise,
  tablet: Tablet,
  "triangle-alert": TriangleAlert,
  "undo-2": Undo2,
  unplug: Unplug,
  user: User,
  wifi: Wifi,
  "wifi-off": WifiOff,
  x: X,
} as const satisfies Record<string, Node>;

export type IconName = keyof typeof ICONS;

/** The icon at a size in CSS px. Lines are 1.6 px, 1.7 px from 20 px on, whatever the size. */
export function icon(name: IconName, size: number): TemplateResult {
  const line = ((size >= 20 ? 1.7 : 1.6) * 24) / size;
  const node: Node = ICONS[name];
  const shapes = node
    .map(([tag, attributes]) => {
      const list = Object.entries(attributes)
        .filter(([key, value]) => key !== "key" && value !== undefined)
        .map(([key, value]) => `${key}="${value}"`)
        .join(" ");
      return `<${tag} ${list}/>`;
    })
    .join("");
  return html`<svg
    class="icon icon-${name}"
    width=${size}
    height=${size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width=${line}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    ${unsafeSVG(shapes)}
  </svg>`;
}
