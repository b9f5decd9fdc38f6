/** What every part of the panel's chrome is drawn from, and what it may do. */
import type { DeviceControl } from "#core/device.ts";
import type { Messages } from "#viewer/i18n/messages.ts";
import type { ActionId, FieldId, Page, PanelModel, PopoverId } from "./model.ts";

/** Everything a press can cause. */
export interface Acts {
  takeControl(): void;
  handBack(): void;
  /** A button of the bar. */
  action(id: ActionId, place: "beside" | "row"): void;
  /** A control of the device's; resolves true once it is done. Refusals are shown. */
  control(control: DeviceControl): Promise<boolean>;
  toggle(popover: PopoverId): void;
  close(): void;
  /** Another page of the open popover. */
  turnTo(page: Page): void;
  /** A device chosen in the picker: switches, or asks first where it has not booted here. */
  choose(device: string): void;
  switchTo(device: string): void;
  refuseFields(fields: readonly FieldId[]): void;
  openLink(url: string): Promise<boolean>;
  typeText(text: string): Promise<boolean>;
  paste(text: string): Promise<void>;
  connectNow(): void;
  setShowFrame(on: boolean): void;
  setPixelForPixel(on: boolean): void;
  chooseBox(id: string): void;
  /** The box's other display: the page round the panel shows it. */
  showDesktop(): void;
  toast(words: string, refusal: boolean): void;
  /** The toast is read. */
  dismiss(): void;
}

/** The panel's width classes: by the element's own width, never the window's. */
export interface Widths {
  /** The top bar's words had no room in one line: 1 shortens Device and Desktop, 2 the status, 3 Type text. */
  readonly squeezed: 0 | 1 | 2 | 3;
  readonly px: number;
  /** Row below, sheets, icons. */
  readonly narrow: boolean;
  /** Status in words rather than an icon. */
  readonly status: boolean;
  readonly wide: boolean;
  readonly tiny: boolean;
}

export interface Context {
  readonly t: Messages;
  readonly model: PanelModel;
  readonly widths: Widths;
  readonly coarse: boolean;
  readonly place: "beside" | "row";
  readonly acts: Acts;
}

export function widthsOf(px: number, squeezed: Widths["squeezed"]): Widths {
  return { px, squeezed, tiny: px < 360, narrow: px < 480, status: px >= 600 && squeezed < 2, wide: px >= 720 };
}
