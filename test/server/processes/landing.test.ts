/** A tap lands where it is drawn, in every orientation and posture, on the phone itself. */
import { describe, expect, it } from "vitest";
import type { DeviceControl, DeviceElement } from "#core/device.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();

function flat(elements: readonly DeviceElement[]): readonly DeviceElement[] {
  return elements.flatMap((element) => [element, ...flat(element.children)]);
}

describe("a tap lands on the drawn element", () => {
  it.each(["Test device", "Test foldable"])(
    "on the %s, however it is turned and folded",
    async (model) => {
      const rig = new Rig(entry.path);
      await rig.start(model);
      await rig.booted();
      const host = await rig.control();
      const owner = host.client.hello.owner.generation + 1;
      await host.client.request({ type: "owner", generation: owner, holder: "agent" });
      const control = (asked: DeviceControl) => host.client.request({ type: "control", control: asked, owner });
      const tree = async () => {
        const { elements, generation } = await host.client.request({ type: "tree" });
        return { elements: flat(elements ?? []), generation: generation ?? -1 };
      };
      const postures = model === "Test foldable" ? (["closed", "half-open", "open"] as const) : [null];
      for (const posture of postures) {
        if (posture !== null) await control({ action: "posture", to: posture });
        for (const to of ["upright", "turned-left", "upside-down", "turned-right"] as const) {
          const { state } = await control({ action: "rotate", to });
          expect(state.geometry?.physical).toBe(to);
          await control({ action: "home" });
          await host.client.request({ type: "settle", quietMs: 200, maxMs: 5000 });
          const { elements, generation } = await tree();
          const icon = elements.find(({ identifier }) => identifier === "app-settings");
          if (icon === undefined) throw new Error(`No settings on the home screen (${posture ?? "flat"}, ${to}).`);
          const { x, y, width, height } = icon.frame;
          const at = { x: Math.round(x + width / 2), y: Math.round(y + height / 2), generation };
          await host.client.request({ type: "input", input: { type: "tap", at }, owner });
          await host.client.request({ type: "settle", quietMs: 200, maxMs: 5000 });
          const title = (await tree()).elements.find(({ identifier }) => identifier === "title");
          expect([posture, to, title?.label]).toEqual([posture, to, "Settings"]);
        }
      }
    },
    60_000,
  );
});
