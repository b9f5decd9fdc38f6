import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { launchChromium } from "../support/browser.ts";
import { elements, middleOf } from "../support/cli.ts";
import { describeWith } from "../support/needs.ts";
import { openPanel, type Panel } from "../support/panel.ts";
import { type Product, startProduct } from "../support/product.ts";

const PASTE_CHARS = 10_000;

describeWith(["Chromium"], "a person's typing and taps, from the browser to the phone", () => {
  let home: string;
  let product: Product;
  let browser: Browser;
  let panel: Panel;
  let devtools: CDPSession;

  const field = async () => (await elements(home)).find((element) => element.can?.edit === true);
  const value = async () => (await field())?.value ?? "";
  const title = async () => (await elements(home)).find((element) => element.identifier === "title")?.label ?? "home";
  const tapOn = async (label: string) => {
    const at = await middleOf(home, label);
    await panel.click(at.x, at.y);
  };
  /** What an input method does: a composition that grows, then what it commits. */
  const compose = async (steps: readonly string[], committed: string) => {
    for (const text of steps) {
      await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    }
    await devtools.send("Input.insertText", { text: committed });
  };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "bb-type-"));
    product = await startProduct({ home });
    browser = await launchChromium();
    panel = await openPanel(browser, product.ready.url, { permissions: ["clipboard-read", "clipboard-write"] });
    devtools = await panel.page.context().newCDPSession(panel.page);
    await panel.page.getByRole("button", { name: "Take control" }).click();
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    rmSync(home, { recursive: true, force: true });
  });
  /** An empty note with the caret in it. */
  beforeEach(async () => {
    await panel.press("home");
    await expect.poll(title).toBe("home");
    await tapOn("Notes");
    await expect.poll(title).toBe("Notes");
    const note = await field();
    if (note === undefined) throw new Error("no field on the notes page");
    await panel.click(note.frame.x + note.frame.width / 2, note.frame.y + 60);
    await expect.poll(async () => (await field())?.focused).toBe(true);
    await panel.page.keyboard.press("Control+a");
    await panel.page.keyboard.press("Backspace");
    await expect.poll(value).toBe("");
  });

  it("Japanese by the input method arrives whole and in order with the keys around it", async () => {
    await panel.page.keyboard.type("ab ");
    await compose(["に", "にほ", "にほん", "日本"], "日本");
    await compose(["ご", "語"], "語");
    await panel.page.keyboard.type(" yz");
    await expect.poll(value, { timeout: 10_000 }).toBe("ab 日本語 yz");
  });

  it("Arabic, emoji and dead keys arrive whole and in order", async () => {
    await compose([], "مرحبا");
    await panel.page.keyboard.type("1");
    await compose([], "👍🏽");
    await panel.page.keyboard.type("2");
    await compose(["´"], "é");
    await panel.page.keyboard.type("3");
    await expect.poll(value, { timeout: 10_000 }).toBe("مرحبا1👍🏽2é3");
  });

  it("a paste of 10,000 characters of this computer's clipboard arrives whole", async () => {
    const text = "日本語 und Straße 1234 ".repeat(PASTE_CHARS / 20);
    await panel.page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await panel.page.keyboard.type("<");
    await panel.page.keyboard.press("Control+v");
    await expect.poll(async () => (await value()).length, { timeout: 15_000 }).toBe(PASTE_CHARS + 1);
    await panel.page.keyboard.type(">");
    await expect.poll(value, { timeout: 10_000 }).toBe(`<${text}>`);
  });

  it("a tap in the middle of a turn lands on what it was made on, or on nothing", async () => {
    await panel.press("home");
    await expect.poll(title).toBe("home");
    const landed: string[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const before = await panel.size();
      const colours = await middleOf(home, "Colours");
      await panel.press(turn % 2 === 0 ? "rotate-left" : "rotate-right");
      // The picture moves meanwhile; the click goes where it is just drawn.
      const at = await panel.place(colours.x, colours.y);
      await panel.page.mouse.click(at.x, at.y);
      await expect.poll(() => panel.size()).toEqual({ width: before.height, height: before.width });
      const page = await title();
      expect(["home", "Colours"]).toContain(page);
      landed.push(page);
      await panel.press("home");
      await expect.poll(title).toBe("home");
    }
    process.stdout.write(`taps in the middle of a turn: ${landed.join(", ")}\n`);
  });
});
