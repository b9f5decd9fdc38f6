import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Browser } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";

import { launchChromium } from "../support/browser.ts";
import { describeWith } from "../support/needs.ts";
import { openPanel, type Panel } from "../support/panel.ts";
import { ROOT } from "../support/product.ts";
import { FOLD_ARGS, type Peer, PIXEL_8, PIXEL_FOLD, Rig } from "./rig.ts";

const FIRST_FINGER = [230, 60, 50] as const;

describeWith(["Chromium", "python3-grpcio", "protoc", "adb"], "an emulator in a browser, over the real sockets", () => {
  let rig: Rig;
  let home: string;
  let product: ChildProcess | null = null;
  let browser: Browser;

  beforeEach(async () => {
    rig = await Rig.start();
    home = mkdtempSync(join(tmpdir(), "bb-"));
    browser = await launchChromium();
  });
  afterEach(async () => {
    await browser.close();
    const ended = product === null ? null : new Promise((done) => product?.once("exit", done));
    product?.kill("SIGTERM");
    await ended;
    product = null;
    await rig.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** The product on this machine, where the emulator is the only one. */
  async function start(args: readonly string[]): Promise<Panel> {
    const command = [join(ROOT, "build/bb-box-device.mjs"), "start", "--json", "--no-open", "--port", "0", "--home", home, ...args];
    product = spawn(process.execPath, command, { env: { ...rig.env }, stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: product.stdout as NodeJS.ReadableStream });
    const line = await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      product?.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    });
    return openPanel(browser, (JSON.parse(line) as { url: string }).url);
  }

  async function drawsTapAt(panel: Panel, peer: Peer, x: number, y: number): Promise<void> {
    await panel.click(x, y);
    const off = async () => Math.max(...(await panel.colour(x, y)).map((value, channel) => Math.abs(value - (FIRST_FINGER[channel] ?? 0))));
    await expect.poll(off, { timeout: 5_000 }).toBeLessThan(24);
    expect((await peer.order("state")).contacts).toEqual({});
  }

  it("shows the phone that runs without being told of it, draws taps where they are made in all four orientations, and pastes text with no US key", async () => {
    rig.avd("Pixel_8", PIXEL_8);
    const peer = await rig.peer();
    const panel = await start([]);
    expect(await panel.size()).toEqual({ width: 1080, height: 2400 });
    await drawsTapAt(panel, peer, 300, 700);
    for (const [width, height] of [
      [2400, 1080],
      [1080, 2400],
      [2400, 1080],
    ] as const) {
      await panel.press("rotate-left");
      await expect.poll(() => panel.size()).toEqual({ width, height });
      await drawsTapAt(panel, peer, 700, 400);
    }
    const at = await panel.place(500, 500);
    const down = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 1);
    await panel.page.mouse.move(at.x, at.y);
    await panel.page.mouse.down();
    await down;
    const lifted = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 0);
    await peer.order("rotate", { degrees: 0 });
    await lifted;
    await panel.page.mouse.up();
    await peer.order("copy", { text: "the device's own" });
    const pasted = peer.feed.next((said) => said.event === "pasted");
    await panel.page.getByRole("button", { name: "Type text" }).click();
    await panel.page.getByRole("textbox", { name: "Text to type" }).fill("日本語 é");
    await panel.page.getByRole("button", { name: "Send" }).click();
    expect((await pasted).text).toBe("日本語 é");
    await expect.poll(async () => (await peer.order("state")).clipboard).toBe("the device's own");
    expect((await panel.figures()).errors).toBe(0);
  });

  it("shows both panels of a foldable and draws taps on each", async () => {
    rig.avd("Pixel_Fold", PIXEL_FOLD);
    const peer = await rig.peer(FOLD_ARGS, { avd: "Pixel_Fold" });
    const panel = await start(["--device", peer.serial]);
    expect(await panel.size()).toEqual({ width: 2208, height: 1840 });
    await drawsTapAt(panel, peer, 1900, 1500);
    await panel.press("fold");
    await panel.page.getByRole("radio", { name: "Closed" }).click();
    await expect.poll(() => panel.size()).toEqual({ width: 1080, height: 2092 });
    await panel.page.keyboard.press("Escape");
    await drawsTapAt(panel, peer, 800, 1700);
    expect((await panel.figures()).errors).toBe(0);
  });

  it("boots the AVD that is named, and leaves it running at the end", async () => {
    rig.avd("Pixel_8", { ...PIXEL_8, "avd.ini.displayname": "Pixel 8" });
    rig.installEmulator();
    const panel = await start(["--device", "android", "--model", "Pixel 8"]);
    expect(await panel.size()).toEqual({ width: 1080, height: 2400 });
    const peer = await rig.booted("Pixel_8");
    const ended = new Promise((done) => product?.once("exit", done));
    product?.kill("SIGTERM");
    await ended;
    product = null;
    expect((await peer.order("state")).contacts).toEqual({});
  });
});
