import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { launchChromium } from "../support/browser.ts";
import { describeWith } from "../support/needs.ts";
import { openPanel } from "../support/panel.ts";
import { startProduct } from "../support/product.ts";

describeWith(["Chromium"], "the boxes of a home, in its panel", () => {
  it("shows the first where none is called local, and says in the picker how the others are as it opens", async () => {
    const home = mkdtempSync(join(tmpdir(), "bb-boxes-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const boxes = [
      { id: "desk", kind: "local", name: "The desk" },
      { id: "shelf", kind: "local", name: "The shelf", deviceHome: join(home, "elsewhere") },
    ];
    writeFileSync(join(home, "boxes.json"), JSON.stringify({ boxes }));
    const product = await startProduct({ home, scene: "still" });
    onTestFinished(async () => void (await product.stop()));
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const panel = await openPanel(browser, product.ready.url);
    const shelf = panel.page.getByRole("radio", { name: /The shelf/ });
    const look = async () => {
      await panel.page.locator("#picker").click();
      await shelf.waitFor();
    };
    await look();
    expect(await panel.page.getByRole("radio", { name: /The desk/ }).textContent()).toContain("Test device");
    expect(await shelf.textContent()).toContain("device server");
    await panel.page.keyboard.press("Escape");
    // It came meanwhile; the page asks the host, which is made to say so here.
    await panel.page.route("**/api/boxes", async (route) => {
      const answer = await route.fetch();
      const { boxes: listed } = (await answer.json()) as { boxes: { id: string }[] };
      const device = { platform: "android", model: "Test foldable", runtime: "" };
      await route.fulfill({ json: { boxes: listed.map((box) => (box.id === "shelf" ? { ...box, away: null, device } : box)) } });
    });
    await look();
    await expect.poll(() => shelf.textContent()).toContain("Test foldable");
  });
});
