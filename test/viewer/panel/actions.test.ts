import { describe, expect, it } from "vitest";
import { DEVICE_MODELS, modelNamed } from "#core/device-models.ts";
import { barGroups, controlOf, movedToMore, rowGroups } from "#viewer/panel/actions.ts";
import { layOut } from "#viewer/panel/layout.ts";
import { panel, phoneState } from "./states.ts";

const model = (name: string) => modelNamed(name);

describe("which controls a device has", () => {
  it("are those of the note, in its order", () => {
    expect(barGroups(model("Pixel Fold"), "android").flat()).toEqual([
      "home",
      "back",
      "recents",
      "rotate-left",
      "rotate-right",
      "fold",
      "appearance",
      "text-size",
      "screenshot",
      "more",
    ]);
    expect(barGroups(model("iPhone 17"), "ios").flat()).toEqual([
      "home",
      "rotate-left",
      "rotate-right",
      "appearance",
      "text-size",
      "screenshot",
      "more",
    ]);
  });

  it("are at most nine and More, for every model", () => {
    for (const device of DEVICE_MODELS) expect(barGroups(device, device.platform).flat().length).toBeLessThanOrEqual(10);
  });

  it("are in the row what it has room for, and More begins with the rest", () => {
    const row = rowGroups(model("Pixel 8"), "android");
    expect(row.flat()).toEqual(["home", "back", "recents", "rotate-left", "more"]);
    expect(movedToMore(barGroups(model("Pixel 8"), "android"), row)).toEqual(["rotate-right", "appearance", "text-size", "screenshot"]);
  });
});

describe("what a press asks for", () => {
  it("turns left beside, and in the row left from upright and back from anywhere else", () => {
    const turned = phoneState({ geometry: { generation: 1, physical: "turned-left", content: "upright", video: { width: 1, height: 1 } } });
    expect(controlOf("rotate-left", turned, "beside")).toEqual({ action: "rotate", turn: "left" });
    expect(controlOf("rotate-left", phoneState(), "row")).toEqual({ action: "rotate", turn: "left" });
    expect(controlOf("rotate-left", turned, "row")).toEqual({ action: "rotate", to: "upright" });
  });

  it("is the other appearance, and dark where none is known", () => {
    expect(controlOf("appearance", phoneState(), "beside")).toEqual({ action: "appearance", to: "dark" });
    const unknown = phoneState({ settings: { ...phoneState().settings, appearance: { known: false, why: "" } } });
    expect(controlOf("appearance", unknown, "beside")).toEqual({ action: "appearance", to: "dark" });
  });
});

describe("a bar in a low panel", () => {
  const at = (height: number) => layOut({ model: panel(), stage: { width: 700, height }, dpr: 1, coarse: false, canHover: true });

  it("loses Screenshot first, then Text size, Appearance, Rotate right and Recents, and never Home, Back, Rotate left or More", () => {
    const whole = at(900).groups.flat();
    const gone: string[] = [];
    for (let height = 900; height > 150; height -= 1) {
      const { fit, groups } = at(height);
      if (fit.place === "row") break;
      for (const id of whole) if (!groups.flat().includes(id) && !gone.includes(id)) gone.push(id);
    }
    expect(gone).toEqual(["screenshot", "text-size", "appearance", "rotate-right", "recents"]);
  });
});
