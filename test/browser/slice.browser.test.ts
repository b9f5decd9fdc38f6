import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchChromium } from "../support/browser.ts";
import { askCli, elements, middleOf } from "../support/cli.ts";
import { describeWith } from "../support/needs.ts";
import { openPanel, type Panel } from "../support/panel.ts";
import { type Product, ROOT, serverPid, startProduct } from "../support/product.ts";

const RESULTS = join(ROOT, "test-results");

const labels = async (home: string) => (await elements(home)).map((element) => element.label);

describeWith(["Chromium"], "the test phone in a browser, over the real sockets", () => {
  let home: string;
  let product: Product;
  let browser: Browser;
  let panel: Panel;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "bb-slice-"));
    product = await startProduct({ home });
    browser = await launchChromium();
    panel = await openPanel(browser, product.ready.url);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it("draws the device's own pixels: sixteen known colours within 16 a channel", async () => {
    await askCli(home, ["control", "open", "bb-test://colours"]);
    const tiles = (await elements(home)).filter((element) => element.identifier?.startsWith("colour-"));
    expect(tiles).toHaveLength(16);
    for (const tile of tiles) {
      const want = [1, 3, 5].map((at) => Number.parseInt(tile.value?.slice(at, at + 2) ?? "", 16));
      const middle = { x: tile.frame.x + tile.frame.width / 2, y: tile.frame.y + tile.frame.height / 2 };
      const off = async () =>
        Math.max(...(await panel.colour(middle.x, middle.y)).map((value, channel) => Math.abs(value - (want[channel] ?? 0))));
      await expect.poll(off, { timeout: 5000, message: `${tile.label} ${tile.value}` }).toBeLessThanOrEqual(16);
    }
  });

  it("opens a settings row's page by a tap where the row is drawn", async () => {
    await panel.page.getByRole("button", { name: "Take control" }).click();
    await panel.press("home");
    await expect.poll(() => labels(home)).toContain("Settings");
    const settings = await middleOf(home, "Settings");
    await panel.click(settings.x, settings.y);
    await expect.poll(() => labels(home)).toContain("Display");
    const row = await middleOf(home, "Display");
    await panel.click(row.x, row.y);
    await expect.poll(async () => (await elements(home)).find((element) => element.identifier === "title")?.label).toBe("Display");
  });

  it("goes Home from the toolbar", async () => {
    await panel.press("home");
    await expect.poll(() => labels(home)).toContain("Colours");
  });

  it("turns from the toolbar: the picture's shape turns, and taps still land where things are drawn", async () => {
    await panel.press("rotate-left");
    await expect.poll(() => panel.size()).toEqual({ width: 2400, height: 1080 });
    const settings = await middleOf(home, "Settings");
    await panel.click(settings.x, settings.y);
    await expect.poll(() => labels(home)).toContain("Network & internet");
    await panel.press("home");
    await panel.press("rotate-right");
    await expect.poll(() => panel.size()).toEqual({ width: 1080, height: 2400 });
  });

  it("shows the whole frame and every button in light and dark, at 360 px, wide and tall; pictures in test-results", async () => {
    const looks = [
      ["light", { viewport: { width: 1100, height: 800 }, colorScheme: "light" }],
      ["dark", { viewport: { width: 1100, height: 800 }, colorScheme: "dark" }],
      ["360", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
      ["wide", { viewport: { width: 1800, height: 700 }, colorScheme: "dark" }],
    ] as const;
    mkdirSync(RESULTS, { recursive: true });
    for (const [name, options] of looks) {
      const look = await openPanel(browser, product.ready.url, options);
      await look.screenshot(join(RESULTS, `phone-${name}.png`));
      const outside = await look.page.evaluate(() => {
        const root = document.querySelector("device-view")?.shadowRoot;
        const boxes = [...(root?.querySelectorAll("canvas, .bar .target") ?? [])].map((element) => element.getBoundingClientRect());
        const inside = (box: DOMRect) => box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
        return { shown: boxes.length, outside: boxes.filter((box) => !inside(box)).length };
      });
      expect(outside.outside).toBe(0);
      expect(outside.shown).toBeGreaterThan(4);
      await look.page.context().close();
    }
  });

  it("plays 1,000 frames without a decoder error", async () => {
    const busy = await middleOf(home, "Busy");
    await panel.click(busy.x, busy.y);
    const before = await panel.figures();
    await panel.drawn(before.drawn + 1000);
    expect((await panel.figures()).errors).toBe(0);
    expect(panel.errors).toEqual([]);
  }, 120_000);

  it("has the picture back in under 2 s after the device server is killed with -9, on the same device", async () => {
    const { state } = await askCli<{ state: { model: string } }>(home, ["tree"]);
    const before = serverPid(home);
    const drawn = (await panel.figures()).drawn;
    const killed = process.hrtime.bigint();
    process.kill(before, "SIGKILL");
    // Up to eight units may have been on their way when it died.
    await panel.drawn(drawn + 10);
    const ms = Number(process.hrtime.bigint() - killed) / 1e6;
    process.stdout.write(`picture back after kill -9: ${ms.toFixed(0)} ms\n`);
    expect(serverPid(home)).not.toBe(before);
    expect(state.model).toBe("Test device");
    expect(ms).toBeLessThan(2000);
  });
});

describeWith(["Chromium"], "the foldable in a browser", () => {
  it("changes the picture's shape with the fold, from the toolbar", async () => {
    const home = mkdtempSync(join(tmpdir(), "bb-fold-"));
    const product = await startProduct({ home, model: "Test foldable" });
    const browser = await launchChromium();
    try {
      const panel = await openPanel(browser, product.ready.url);
      expect(await panel.size()).toEqual({ width: 1080, height: 2092 });
      await panel.press("fold");
      await panel.page.getByRole("radio", { name: "Open", exact: true }).click();
      await expect.poll(() => panel.size()).toEqual({ width: 2208, height: 1840 });
      mkdirSync(RESULTS, { recursive: true });
      await panel.screenshot(join(RESULTS, "fold-open.png"));
      await panel.page.getByRole("radio", { name: "Closed", exact: true }).click();
      await expect.poll(() => panel.size()).toEqual({ width: 1080, height: 2092 });
      await panel.screenshot(join(RESULTS, "fold-closed.png"));
      expect((await panel.figures()).errors).toBe(0);
    } finally {
      await browser.close();
      await product.stop();
      rmSync(home, { recursive: true, force: true });
    }
  }, 60_000);
});
