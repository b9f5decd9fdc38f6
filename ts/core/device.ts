/**
 * The data shape of note 063: one device of a box, its state, and what it can be told to do.
 * Names are the note's own. A state that the device cannot be in has no way to be written.
 * Pure: runs in a browser and in Node alike.
 */

export type DevicePlatform = "ios" | "android";
/** How far the device is turned from its screen's own upright (not "portrait" or "landscape"). */
export type Orientation = "upright" | "turned-left" | "upside-down" | "turned-right";
export type Posture = "closed" | "half-open" | "open";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Cutout {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly shape: "pill" | "circle";
}

export interface Screen {
  /** Upright. */
  readonly pixels: Size;
  /** Pixels to points (iOS) or to dp (Android: density / 160). */
  readonly scale: number;
  /** Pixels. */
  readonly cornerRadius: number;
  /** Drawn by the frame on iOS; null where the device draws its own. */
  readonly cutout: Cutout | null;
}

export interface Body {
  /** Pixels of black glass round the screen. */
  readonly bezel: number;
  readonly radius: number;
  /** `from` and `to` are fractions of the edge. */
  readonly buttons: readonly {
    readonly edge: "left" | "right" | "top";
    readonly from: number;
    readonly to: number;
  }[];
}

export interface FlatModel {
  readonly name: string;
  readonly form: "phone" | "tablet";
  readonly screen: Screen;
  readonly body: Body;
}

export interface FoldableModel {
  readonly name: string;
  readonly form: "foldable";
  /** Shows when closed. */
  readonly outer: Screen;
  /** Shows half open and open. */
  readonly inner: Screen;
  readonly hinge: "vertical" | "horizontal";
  readonly postures: readonly [Posture, ...Posture[]];
  readonly body: Body;
}

export type IosModel = FlatModel & { readonly platform: "ios" };
export type AndroidModel = (FlatModel | FoldableModel) & { readonly platform: "android" };
export type DeviceModel = IosModel | AndroidModel;

/** What a snapshot is tied to. */
export interface SnapshotOrigin {
  readonly emulator: string;
  readonly cpu: string;
  readonly made: string;
}

export type Runtime =
  | { readonly platform: "ios"; readonly os: string; readonly build: string; readonly xcode: string; readonly companion: string }
  | {
      readonly platform: "android";
      readonly api: number;
      readonly image: string;
      readonly revision: number;
      readonly abi: string;
      readonly emulator: string;
      readonly snapshot: SnapshotOrigin | null;
    }
  | { readonly platform: "test"; readonly version: string };

export interface OfferedDevice {
  /** A DeviceModel's name. */
  readonly model: string;
  /** A simulator device type ID, an AVD's name, or the test phone's model. */
  readonly native: string;
  readonly runtime: Runtime;
}

export interface Geometry {
  /** Up by one at each change of screen, orientation or video size, at each switch and each server start. */
  readonly generation: number;
  /** How the device is held: what rotate sets. */
  readonly physical: Orientation;
  /** How the app in front draws, read from the device. */
  readonly content: Orientation;
  /** The stream's pixels now. */
  readonly video: Size;
}

export type FoldGeometry = Geometry & { readonly screen: "outer" | "inner" };

export type FailureCode = "boot-failed" | "device-exited" | "companion-failed" | "emulator-failed" | "firewall-missing" | "incompatible";

export type SwitchStep = "stopping" | "booting" | "waiting" | "streaming";

export type Power =
  | { readonly is: "booting"; readonly since: number }
  | { readonly is: "booted"; readonly awake: boolean }
  | { readonly is: "switching"; readonly to: string; readonly step: SwitchStep; readonly since: number }
  | { readonly is: "stopped" }
  | { readonly is: "failed"; readonly error: { readonly code: FailureCode; readonly words: string }; readonly since: number };

export type Observed<T> =
  | { readonly known: true; readonly value: T; readonly at: number; readonly by: "bb-box" | "outside" }
  | { readonly known: false; readonly why: string };

/** What bb-box last set; null: the device's own. Claims nothing about what the device shows. */
export interface Override<T> {
  readonly set: T | null;
  readonly at: number | null;
}

export interface LatLon {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Battery {
  /** 0 to 100. */
  readonly level: number;
  readonly charging: boolean;
}

export type Appearance = "light" | "dark";
export type NetworkPreset = "online" | "offline" | "slow";

/** Smallest to largest; "large" is iOS's default. */
export const IOS_CONTENT_SIZES = [
  "extra-small",
  "small",
  "medium",
  "large",
  "extra-large",
  "extra-extra-large",
  "extra-extra-extra-large",
  "accessibility-medium",
  "accessibility-large",
  "accessibility-extra-large",
  "accessibility-extra-extra-large",
  "accessibility-extra-extra-extra-large",
] as const;
export type IosContentSize = (typeof IOS_CONTENT_SIZES)[number];

/** Smallest to largest; 1 is Android's default. */
export const ANDROID_FONT_SCALES = [0.85, 1, 1.15, 1.3, 1.5, 1.8, 2] as const;
export type AndroidFontScale = (typeof ANDROID_FONT_SCALES)[number];

export type IosStatusBar = { readonly clean: boolean; readonly battery: Battery | null };

export interface IosSettings {
  readonly appearance: Observed<Appearance>;
  readonly textSize: Observed<IosContentSize>;
  /** simctl cannot read it back. */
  readonly location: Override<LatLon>;
  readonly statusBar: Override<IosStatusBar>;
}

export interface AndroidSettings {
  readonly appearance: Observed<Appearance>;
  readonly fontScale: Observed<AndroidFontScale>;
  readonly location: Observed<LatLon | null>;
  readonly battery: Observed<Battery>;
  readonly network: Observed<NetworkPreset>;
  readonly statusBar: Override<"clean">;
}

export interface IosState {
  readonly platform: "ios";
  readonly model: string;
  readonly power: Power;
  readonly geometry: Geometry | null;
  readonly settings: IosSettings;
  /** Wall-clock milliseconds. */
  readonly at: number;
}

export interface AndroidFlatState {
  readonly platform: "android";
  readonly form: "phone" | "tablet";
  readonly model: string;
  readonly power: Power;
  readonly geometry: Geometry | null;
  readonly settings: AndroidSettings;
  readonly at: number;
}

export interface AndroidFoldableState {
  readonly platform: "android";
  readonly form: "foldable";
  readonly model: string;
  readonly power: Power;
  readonly geometry: FoldGeometry | null;
  readonly posture: Observed<Posture>;
  readonly settings: AndroidSettings;
  readonly at: number;
}

export type DeviceState = IosState | AndroidFlatState | AndroidFoldableState;

export type DeviceControl =
  | { readonly action: "home" }
  | { readonly action: "back" }
  | { readonly action: "recents" }
  | { readonly action: "lock" }
  | { readonly action: "wake" }
  | { readonly action: "rotate"; readonly turn: "left" | "right" }
  | { readonly action: "rotate"; readonly to: Orientation }
  | { readonly action: "posture"; readonly to: Posture }
  | { readonly action: "appearance"; readonly to: Appearance }
  | { readonly action: "text_size"; readonly to: "larger" | "smaller" | "default" | IosContentSize | AndroidFontScale }
  | { readonly action: "location"; readonly to: LatLon | null }
  | { readonly action: "status_bar"; readonly to: "clean" | "live" }
  | { readonly action: "battery"; readonly to: Battery | null }
  | { readonly action: "network"; readonly to: NetworkPreset }
  | { readonly action: "install"; readonly paths: readonly [string, ...string[]] }
  | { readonly action: "switch"; readonly device: string }
  | { readonly action: "reboot" };

export type DeviceAction = DeviceControl["action"];

/** A point in the video's pixels as shown in one geometry generation; never mapped to another. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly generation: number;
}

export type KeyModifier = "shift" | "control" | "alt" | "meta";

export type DeviceInput =
  | { readonly type: "tap"; readonly at: Point }
  | { readonly type: "long_press"; readonly at: Point; readonly ms: number }
  | { readonly type: "swipe"; readonly from: Point; readonly to: Point; readonly ms: number }
  | { readonly type: "pinch"; readonly centre: Point; readonly from: number; readonly to: number; readonly ms: number }
  /** A W3C key name. */
  | { readonly type: "key"; readonly key: string; readonly modifiers: readonly KeyModifier[] }
  | { readonly type: "text"; readonly text: string };

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DeviceElement {
  /** button, text field, cell, image, static text… */
  readonly role: string;
  /** Android's resource ID; iOS's accessibility identifier. */
  readonly identifier: string | null;
  readonly label: string;
  readonly value: string | null;
  /** In the video's pixels. */
  readonly frame: Rect;
  readonly enabled: boolean;
  readonly focused: boolean;
  /** null where the platform does not say. */
  readonly can: { readonly tap: boolean; readonly edit: boolean; readonly scroll: boolean } | null;
  readonly children: readonly DeviceElement[];
}

/** One finger, in the video's pixels (on the wire) or the device's own space (towards a driver). `id` is 0 to 9. */
export interface Contact {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** What the box should run, and a switch under way; written whole before each step. */
export interface Intent {
  readonly target: string;
  readonly switching: { readonly id: string; readonly from: string; readonly step: SwitchStep; readonly since: number } | null;
}

export type Holder = "none" | "agent" | "person";

/** Who may send input. The generation only rises. */
export interface Owner {
  readonly generation: number;
  readonly holder: Holder;
}

/** Which encoder makes the stream, in words a person reads. */
export interface EncoderInfo {
  readonly name: string;
  readonly version: string;
}
