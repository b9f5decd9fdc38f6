import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/browser.ts";
import { describeWith } from "../support/needs.ts";
import { Panel } from "./fixture/open.ts";
import { type Fixture, serveFixture } from "./fixture/server.ts";

describeWith(["Chromium"], "the panel in Chromium", () => {
  let browser: Browser;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await serveFixture();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await fixture.close();
  });

  it("decodes H.264 to the right pixels and acknowledges the frame it drew", async () => {
    const panel = await Panel.open(browser, fixture);
    const near = (seen: readonly number[], wanted: readonly number[]): void =>
      seen.forEach((value, index) => expect(Math.abs(value - (wanted[index] ?? 0))).toBeLessThanOrEqual(16));
    near(await panel.pixelOfVideo(0.25, 0.9), [0xc8, 0x3c, 0x3c]);
    near(await panel.pixelOfVideo(0.75, 0.9), [0x3c, 0xa0, 0x3c]);
    near(await panel.pixelOfVideo(0.25, 0.95), [0x3c, 0x5a, 0xc8]);
    near(await panel.pixelOfVideo(0.75, 0.95), [0xc8, 0xb4, 0x3c]);
    const acks = await panel.run<number>("fixture.port.sent.filter((command) => command.do === 'ack').length");
    expect(acks).toBeGreaterThan(0);
    expect(panel.errors).toEqual([]);
    await panel.close();
  });

  it("runs under a policy with no inline style and no script from elsewhere", async () => {
    const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold" });
    for (const popover of ["#action-more", "#action-fold", "#picker", "#type-text"]) {
      await panel.get(popover).click();
      await panel.get(".pop").waitFor();
      await panel.page.keyboard.press("Escape");
    }
    expect(panel.errors).toEqual([]);
    await panel.close();
  });

  it("sends a press where it lands on the video, once this viewer has control", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    const box = await panel.get(".app").boundingBox();
    if (box === null) throw new Error("no screen");
    await panel.page.mouse.click(box.x + box.width / 2, box.y + box.height / 4);
    const presses = (await panel.sent()).filter((command) => command.do === "pointer");
    expect(presses.map((command) => command.do === "pointer" && command.mask)).toEqual([1, 0]);
    const [down] = presses;
    if (down?.do !== "pointer") throw new Error("no press");
    expect(Math.abs(down.x - 540)).toBeLessThanOrEqual(3);
    expect(Math.abs(down.y - 600)).toBeLessThanOrEqual(4);
    await panel.close();
  });

  it("sends nothing for a press while the agent has control, and points at Take control", async () => {
    const panel = await Panel.open(browser, fixture);
    const before = (await panel.sent()).length;
    await panel.get(".app").click();
    await panel.get("text=Take control to touch the device").waitFor();
    expect(await panel.sent()).toHaveLength(before);
    await panel.close();
  });

  it("takes control with a person's first press when nobody has it", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=none" });
    await panel.get(".app").click();
    await panel.until("fixture.view.model.holder === 'you'");
    const done = (await panel.sent()).map((command) => command.do);
    expect(done.indexOf("take-control")).toBeLessThan(done.indexOf("pointer"));
    await panel.close();
  });

  it("takes control by a toolbar click and does its work in the same click", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.get("#action-appearance").click();
    await panel.until("fixture.view.model.state.settings.appearance.value === 'dark'");
    await panel.get("text=You have control. Hand back when done.").first().waitFor();
    expect(await panel.controls()).toEqual([{ action: "appearance", to: "dark" }]);
    await panel.get("text=Hand back").last().click();
    await panel.until("fixture.view.model.holder === 'agent'");
    await panel.close();
  });

  it("takes no control for a screenshot, and copies it or saves it", async () => {
    const refusing = "Clipboard.prototype.write = () => Promise.reject(new DOMException('', 'NotAllowedError'))";
    const panel = await Panel.open(browser, fixture, { before: refusing });
    const download = panel.page.waitForEvent("download");
    await panel.get("#action-screenshot").click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/^Pixel 8 .*\.png$/);
    await panel.get("text=The browser refused the clipboard, so the screenshot was downloaded.").first().waitFor();
    expect((await panel.sent()).map((command) => command.do)).not.toContain("take-control");

    const allowed = await Panel.open(browser, fixture, { permissions: ["clipboard-read", "clipboard-write"] });
    await allowed.get("#action-screenshot").click();
    await allowed.get("text=Screenshot copied.").first().waitFor();
    await panel.close();
    await allowed.close();
  });

  it("turns a phone twice by two clicks in one spot: the bar does not move from under the pointer", async () => {
    const panel = await Panel.open(browser, fixture);
    const box = await panel.get("#action-rotate-left").boundingBox();
    if (box === null) throw new Error("no button");
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await panel.page.mouse.click(x, y);
    await panel.until("fixture.view.model.state.geometry.physical === 'turned-left'");
    await panel.page.mouse.click(x, y);
    await panel.until("fixture.view.model.state.geometry.physical === 'upside-down'");
    await panel.close();
  });

  it("keeps the old picture, turned with the frame and under a veil, until the new generation's first frame", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.run("fixture.port.hold = true, fixture.port.control({ action: 'rotate', turn: 'left' })");
    await panel.get(".veil.held").waitFor({ state: "attached" });
    const canvas = "fixture.view.shadowRoot.querySelector('.picture')";
    expect(await panel.run(`${canvas}.width < ${canvas}.height`)).toBe(true);
    const before = (await panel.sent()).length;
    await panel.get(".app").click();
    expect((await panel.sent()).length, "a press on the old picture goes nowhere").toBe(before);
    await panel.run("fixture.port.hold = false, fixture.port.picture(true)");
    await panel.until(`${canvas}.width > ${canvas}.height`);
    await panel.get(".veil:not(.held)").waitFor({ state: "attached" });
    await panel.close();
  });

  it("changes the picture's shape with a fold, and says Half open", async () => {
    const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold&holder=you" });
    await panel.get("#action-fold").click();
    await panel.get("role=radio[name='Half open']").click();
    await panel.get(".caption >> text=Half open").waitFor();
    await panel.get("role=radio[name='Closed']").click();
    const canvas = "fixture.view.shadowRoot.querySelector('.picture')";
    await panel.until(`${canvas}.width === 1080 && ${canvas}.height === 2092`);
    expect(await panel.controls()).toEqual([
      { action: "posture", to: "half-open" },
      { action: "posture", to: "closed" },
    ]);
    await panel.close();
  });

  it("neither folds nor turns a device that boots: it stands as it is, once that is known", async () => {
    const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold&posture=open" });
    const moving = `fixture.view.shadowRoot.querySelector(".device").getAnimations({ subtree: true }).map((one) => one.effect.getTiming().duration).filter((ms) => ms >= 300)`;
    // The device's answer to a switch, told by the server: first that it boots, then how it lies.
    const told = await panel.run<readonly unknown[]>(`(async () => {
      const { port, view } = fixture, { state } = port;
      port.hold = true;
      const moves = [];
      const tell = async (change) => { port.change(change); await view.updateComplete; moves.push(...${moving}); };
      await tell({ power: { is: "booting", since: Date.now() }, posture: { known: false }, geometry: null });
      await tell({ posture: { ...state.posture, value: "closed" }, geometry: { ...state.geometry, generation: 2, screen: "outer", physical: "turned-left", content: "turned-left", video: { width: 2092, height: 1080 } } });
      await tell({ power: { is: "booted", awake: true } });
      return moves;
    })()`);
    expect(told).toEqual([]);
    await panel.run("fixture.port.hold = false; fixture.port.picture(true)");
    await panel.until("fixture.view.shadowRoot.querySelector('.picture').width === 2092");
    expect(await panel.run<readonly unknown[]>(moving)).toEqual([]);
    // And one that shows its picture does turn.
    await panel.run(`fixture.port.control({ action: "rotate", to: "upright" }); fixture.view.updateComplete`);
    expect(await panel.run<readonly unknown[]>(moving)).toContain(300);
    await panel.close();
  });

  it("keeps the Fold popover and its bar where they are while one posture after another is tried", async () => {
    const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold&holder=you" });
    await panel.get("#action-fold").click();
    const tile = panel.get("role=radio[name='Open']");
    await panel.run("Promise.all(fixture.view.shadowRoot.querySelector('.pop').getAnimations().map((animation) => animation.finished))");
    const before = await tile.boundingBox();
    await panel.get("role=radio[name='Closed']").click();
    const canvas = "fixture.view.shadowRoot.querySelector('.picture')";
    await panel.until(`${canvas}.width === 1080`);
    expect(await tile.boundingBox()).toEqual(before);
    await panel.page.keyboard.press("Escape");
    await panel.page.mouse.move(4, 400);
    await panel.until("fixture.view.shadowRoot.querySelector('.bar').getBoundingClientRect().right < 800");
    await panel.close();
  });

  it.each([
    ["a popover", { width: 1080, height: 720 }, [".pop"]],
    ["a sheet with its scrim", { width: 360, height: 640 }, [".scrim", ".pop"]],
  ] as const)("fades %s out in 90 ms, where it stood, out of reach of presses, keys and readers", async (_what, viewport, parts) => {
    const panel = await Panel.open(browser, fixture, { viewport });
    await panel.get("#action-more").click();
    await panel.get(".pop").waitFor();
    // Both at once in the page, since what is looked at is gone in 90 ms.
    const left = await panel.run<readonly object[]>(`(async () => {
      const { view } = fixture, root = view.shadowRoot, shown = ${JSON.stringify(parts)}.map((part) => root.querySelector(part));
      await Promise.all(shown.flatMap((part) => part.getAnimations()).map((animation) => animation.finished));
      const before = shown.map((part) => part.getBoundingClientRect().toJSON());
      root.querySelector(".pop").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, composed: true }));
      await view.updateComplete;
      return shown.map((part, index) => ({
        stands: part.isConnected && JSON.stringify(part.getBoundingClientRect().toJSON()) === JSON.stringify(before[index]),
        fades: part.getAnimations().map(({ effect }) => [effect.getTiming().duration, Object.keys(effect.getKeyframes().at(-1)).includes("opacity")]),
        inert: part.inert,
        presses: getComputedStyle(part).pointerEvents,
        names: part.querySelectorAll("[id]").length,
      }));
    })()`);
    expect(left).toEqual(parts.map(() => ({ stands: true, fades: [[90, true]], inert: true, presses: "none", names: 0 })));
    await panel.get(".pop").waitFor({ state: "detached" });
    await panel.get(".scrim").waitFor({ state: "detached" });
    expect(await panel.focus()).toBe("action-more");
    await panel.close();
  });

  it("takes a popover away at once where motion is reduced, and where the next one opens", async () => {
    const still = await Panel.open(browser, fixture, { reducedMotion: "reduce" });
    const shut = `(async () => {
      const { view } = fixture, root = view.shadowRoot;
      const press = async (id) => { root.querySelector(id).click(); await view.updateComplete; };
      await press("#action-more");
      await press("#action-more");
      const after = root.querySelectorAll(".pop").length;
      await press("#action-text-size");
      return [after, root.querySelectorAll(".pop").length];
    })()`;
    expect(await still.run(shut)).toEqual([0, 1]);
    await still.close();
    const moving = await Panel.open(browser, fixture);
    expect(await moving.run(shut)).toEqual([1, 1]);
    await moving.close();
  });

  it("shows stills with their sentence where the browser has no decoder, and takes touches all the same", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you", before: "delete window.VideoDecoder" });
    await panel.get("text=This browser cannot play the device’s video, so it shows a picture a few times a second.").first().waitFor();
    await panel.get(".app").click();
    const done = (await panel.sent()).map((command) => command.do);
    expect(done).toContain("start-stills");
    expect(done).toContain("pointer");
    await panel.close();
  });

  it("goes over to stills when no frame decodes in three seconds", async () => {
    const broken = "VideoDecoder.prototype.decode = function () {}";
    const panel = await Panel.open(browser, fixture, { before: broken, pictured: false });
    await panel.until("fixture.view.model.stills === 'no-decoder' && fixture.view.model.pictured");
    await panel.close();
  });

  it("survives a decoder that fails: a new one, a key frame, the picture back", async () => {
    const spy = `window.made = []; const Real = VideoDecoder; window.VideoDecoder = class extends Real { constructor(init) { super(init); this.init = init; window.made.push(this); } }`;
    const panel = await Panel.open(browser, fixture, { before: spy });
    await panel.run(
      "(() => { const decoder = made.at(-1); const { error } = decoder.init; decoder.close(); error(new DOMException('gone', 'EncodingError')); })()",
    );
    await panel.until("made.length === 2 && fixture.view.figures.drawn >= 2");
    expect(await panel.run("fixture.view.figures.errors")).toBe(1);
    await panel.close();
  });

  it("lays a smooth copy over a picture that keeps still, and takes it away with the next picture", async () => {
    const panel = await Panel.open(browser, fixture, { deviceScaleFactor: 1 });
    const sharp = "getComputedStyle(fixture.view.shadowRoot.querySelector('.sharp')).visibility";
    await panel.until(`${sharp} === 'visible'`);
    const before = await panel.run<number>("fixture.view.figures.drawn");
    await panel.run("fixture.port.picture(true)");
    await panel.until(`fixture.view.figures.drawn > ${before} && ${sharp} === 'hidden'`);
    await panel.until(`${sharp} === 'visible'`);
    await panel.close();
  });

  it("draws an agent's touch for a watcher where it was, 36 px wide, and it goes", async () => {
    const panel = await Panel.open(browser, fixture);
    // Measured in the same task: a touch stands for 300 ms only.
    const circle = await panel.run<{ x: number; y: number; width: number } | null>(`(() => {
      fixture.port.listener.touches({ contacts: [{ id: 0, x: 540, y: 600 }], by: "agent", generation: 1 });
      const { x, y, width } = fixture.view.shadowRoot.querySelector(".touch.agent").getBoundingClientRect();
      return { x, y, width };
    })()`);
    const screen = await panel.get(".app").boundingBox();
    if (circle === null || screen === null) throw new Error("nothing drawn");
    expect(circle.width).toBe(36);
    expect(Math.abs(circle.x + 18 - (screen.x + screen.width / 2))).toBeLessThan(1.5);
    expect(Math.abs(circle.y + 18 - (screen.y + screen.height / 4))).toBeLessThan(1.5);
    await panel.get(".touch").waitFor({ state: "detached" });
    await panel.get("text=The agent is using the device").waitFor();
    await panel.close();
  });

  it("shows a refusal in the server's own words, until it is read", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.run("fixture.port.refuse = 'The box is switching to the Pixel Fold. Try again when it has booted.'");
    await panel.get("#action-home").click();
    await panel.get(".toast >> text=The box is switching to the Pixel Fold.").waitFor();
    await panel.get(".toast button").click();
    await panel.get(".toast").waitFor({ state: "detached" });
    await panel.close();
  });

  it("pastes this computer's text as one paste, and says when there is none", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get(".app").click();
    const paste = (text: string): Promise<unknown> =>
      panel.run(`(() => { const data = new DataTransfer(); ${text === "" ? "" : `data.setData("text/plain", ${JSON.stringify(text)});`}
        fixture.view.shadowRoot.querySelector(".keys").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); })()`);
    await paste("朝の潮");
    await panel.get(".toast >> text=Pasted.").waitFor();
    await paste("");
    await panel.get(".toast >> text=The clipboard has no text.").waitFor();
    const pastes = (await panel.sent()).filter((command) => command.do === "ask" && command.request.type === "paste");
    expect(pastes).toHaveLength(1);
    await panel.close();
  });

  it("types with keys, and an input method's words as one text", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get(".app").click();
    await panel.page.keyboard.press("a");
    await panel.page.keyboard.insertText("今日");
    await panel.page.keyboard.press("Enter");
    const typed = (await panel.sent()).flatMap((command): (number | string)[] => {
      if (command.do === "key" && command.down) return [command.keysym];
      return command.do === "ask" && command.request.type === "text" ? [command.request.text] : [];
    });
    expect(typed).toEqual([0x61, "今日", 0xff0d]);
    await panel.close();
  });

  it("keeps Show frame and Pixel for pixel in this browser", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.get("#action-more").click();
    await panel.get("role=menuitemcheckbox[name='Show frame']").click();
    await panel.get("role=menuitemcheckbox[name='Pixel for pixel']").click();
    const width = async (): Promise<number> => (await panel.get(".app").boundingBox())?.width ?? 0;
    await panel.until("fixture.view.model.pixelForPixel");
    expect(await width()).toBeCloseTo(1080, 0);
    await panel.page.reload();
    await panel.until("fixture.view.model.pictured");
    expect(await panel.run("[fixture.view.model.showFrame, fixture.view.model.pixelForPixel]")).toEqual([false, true]);
    await panel.close();
  });

  it("asks before a switch to a device that has not booted here, and not before one that has", async () => {
    const query = "model=Pixel 8&devices=Pixel 8|Pixel Fold|Pixel Tablet&booted=Pixel 8|Pixel Fold";
    const panel = await Panel.open(browser, fixture, { query });
    await panel.get("#picker").click();
    await panel.get("role=radio[name=/Pixel Tablet/]").click();
    await panel.get("text=It has not booted in this box yet").waitFor();
    expect(await panel.controls()).toEqual([]);
    await panel.get("role=button[name='Cancel']").click();
    await panel.get("role=radio[name=/Pixel Fold/]").click();
    await panel.get("text=Switching from Pixel 8").waitFor();
    expect(await panel.controls()).toEqual([{ action: "switch", device: "Pixel Fold" }]);
    await panel.close();
  });

  it("refuses a latitude out of range in words and sends nothing, then takes one in range", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get("#action-more").click();
    await panel.get("role=menuitem[name=/Location/]").click();
    await panel.get("#field-longitude").fill("10,5");
    await panel.get("#field-latitude").fill("91");
    await panel.get("#field-latitude").press("Enter");
    await panel.get("text=Latitude is from −90 to 90.").waitFor();
    expect(await panel.controls()).toEqual([]);
    await panel.get("#field-latitude").fill("-33.5");
    await panel.get("#field-latitude").press("Enter");
    await panel.get("text=Location set to −33.5, 10.5.").first().waitFor();
    expect(await panel.controls()).toEqual([{ action: "location", to: { latitude: -33.5, longitude: 10.5 } }]);
    await panel.close();
  });

  it("keeps Type text's words when the device refuses them, and empties when it takes them", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get("#type-text").click();
    const field = panel.get("textarea.field");
    await field.fill("long words");
    await panel.run("fixture.port.refuse = 'Not now.'");
    await field.press("Control+Enter");
    await panel.get(".toast >> text=Not now.").waitFor();
    expect(await field.inputValue()).toBe("long words");
    await panel.run("fixture.port.refuse = null");
    await panel.get("role=button[name='Send']").click();
    await panel.until("fixture.view.shadowRoot.querySelector('textarea.field').value === ''");
    await panel.close();
  });
});
