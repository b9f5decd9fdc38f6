/** From the model and the panel's size to the fit: which controls stand where, and what room words take. */
import type { Size } from "#core/device.ts";
import { type BodyNumbers, bodyNumbers, plainNumbers } from "#viewer/frame/numbers.ts";
import { type Fit, type FitInput, fit } from "#viewer/frame/fit.ts";
import { barLength } from "#viewer/toolbar/bar.ts";
import { LEAVES_FIRST, barGroups, rowGroups } from "./actions.ts";
import { type ActionId, type PanelModel, deviceModel, litScreen, physicalNow, postureNow } from "./model.ts";

export interface Layout {
  readonly fit: Fit;
  /** What the bar or the row holds now. */
  readonly groups: readonly (readonly ActionId[])[];
  /** The first-time line stands under it. */
  readonly note: boolean;
}

export interface LayoutInput {
  readonly model: PanelModel;
  readonly stage: Size;
  readonly dpr: number;
  readonly coarse: boolean;
  readonly canHover: boolean;
}

/** The shape that is drawn until the device is known: a common phone's. */
const UNTOLD_SCREEN: Size = { width: 1080, height: 2400 };

/** The numbers of the device that is drawn: its model's, or a plain body with the picture's shape. */
export function frameNumbers(model: PanelModel): BodyNumbers {
  const device = deviceModel(model);
  if (device !== null) return bodyNumbers(device, litScreen(model.state));
  const video = model.state?.geometry?.video;
  return plainNumbers(video ?? UNTOLD_SCREEN);
}

function without(groups: readonly (readonly ActionId[])[], gone: readonly ActionId[]): readonly (readonly ActionId[])[] {
  return groups.map((group) => group.filter((id) => !gone.includes(id)));
}

export function layOut(input: LayoutInput): Layout {
  const { model, coarse } = input;
  const device = deviceModel(model);
  const platform = device?.platform ?? model.state?.platform ?? "android";
  const all = barGroups(device, platform);
  const row = rowGroups(device, platform);
  const has = new Set(all.flat());
  const leaving = LEAVES_FIRST.filter((id) => has.has(id));
  const target = coarse ? 44 : 36;
  const heights = [0, ...leaving.map((_, index) => index + 1)].map((gone) => barLength(without(all, leaving.slice(0, gone)), target, 2, 7));
  const [whole = 0, ...shorter] = heights;
  const note = !input.canHover && coarse && !model.usedAControl && model.holder === "agent" && model.link.is === "open";
  const asked: FitInput = {
    stage: input.stage,
    dpr: input.dpr,
    numbers: frameNumbers(model),
    physical: physicalNow(model.state),
    showFrame: model.showFrame,
    pixelForPixel: model.pixelForPixel,
    strip: model.stills !== null || model.warning !== null,
    caption: model.keysGo || postureNow(model.state) === "half-open",
    note,
    bar: {
      width: target + 8,
      heights: [whole, ...shorter],
      row: { width: barLength(row, 44, 4, 5), height: 52 },
    },
  };
  const fitted = fit(asked);
  const groups = fitted.place === "row" ? row : without(all, leaving.slice(0, fitted.left));
  return { fit: fitted, groups, note };
}
