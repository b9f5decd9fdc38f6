import { afterAll, beforeAll, expect, it } from "vitest";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/browser.ts";
import { describeWith } from "../support/needs.ts";
import { Panel } from "./fixture/open.ts";
import { type Fixture, serveFixture } from "./fixture/server.ts";
import { pseudo } from "./i18n/pseudo.ts";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong in the panel as it stands. */
async function violations(panel: Panel): Promise<string[]> {
  await panel.run(axe.source);
  const found = await panel.run<Violation[]>(
    "axe.run(document, { resultTypes: ['violations'], rules: { 'page-has-heading-one': { enabled: false }, region: { enabled: false }, 'landmark-one-main': { enabled: false } } }).then((result) => result.violations)",
  );
  return found.map(
    (violation) =>
      `${violation.id}: ${violation.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join(" | ")}`,
  );
}

/** Parts that stick out of the panel, or targets smaller than `least`. */
const OVERFLOW = `(() => {
  const root = fixture.view.shadowRoot;
  const edge = fixture.view.getBoundingClientRect();
  const out = [];
  for (const element of root.querySelectorAll("button, .status, .strip, .bar, .pop, .sentence, .caption, .note")) {
    if (element.closest("[hidden]") !== null) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || getComputedStyle(element).visibility === "hidden") continue;
    const scrolled = element.closest(".pop") !== null && !element.classList.contains("pop");
    if (scrolled) continue;
    if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
      out.push(element.className + " " + JSON.stringify([box.left, box.top, box.right, box.bottom].map(Math.round)));
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible") out.push(element.className + " scrolls");
  }
  const visible = [...root.querySelectorAll(".top button, .top .status, .bar, .control-strip")].filter((element) => element.getBoundingClientRect().width > 0);
  for (const [index, one] of visible.entries()) for (const other of visible.slice(index + 1)) {
    if (one.contains(other) || other.contains(one)) continue;
    const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) out.push(one.className + " lies over " + other.className);
  }
  return out;
})()`;

const SMALL = `(least) => [...fixture.view.shadowRoot.querySelectorAll("button, .dots")].flatMap((element) => {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || element.closest("[hidden]") !== null) return [];
  // A button drawn small may have a larger target of its own behind it.
  const behind = getComputedStyle(element, "::before");
  const height = Math.max(box.height, behind.content === "none" ? 0 : parseFloat(behind.height) || 0);
  return height + 0.5 < least ? [element.className + " " + Math.round(height)] : [];
})`;

describeWith(["Chromium"], "the panel, for everyone", () => {
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

  it.each(["light", "dark"] as const)(
    "has nothing that axe finds wrong, in %s, at rest and with each popover open",
    async (colorScheme) => {
      const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold&latency&devices=Pixel Fold|Pixel 8", colorScheme });
      expect(await violations(panel)).toEqual([]);
      for (const opener of ["#action-more", "#action-fold", "#action-text-size", "#picker", "#type-text", "#details"]) {
        await panel.get(opener).click();
        await panel.get(".pop").waitFor();
        await panel.run(
          "Promise.all(fixture.view.shadowRoot.querySelector('.pop').getAnimations().map((animation) => animation.finished))",
        );
        expect(await violations(panel)).toEqual([]);
        await panel.page.keyboard.press("Escape");
      }
      for (const page of ["Location", "Battery", "Network", "Open link", "Reboot"]) {
        await panel.get("#action-more").click();
        await panel.get(`role=menuitem[name=/${page}/]`).click();
        await panel.run(
          "Promise.all(fixture.view.shadowRoot.querySelector('.pop').getAnimations({ subtree: true }).map((animation) => animation.finished))",
        );
        expect(await violations(panel)).toEqual([]);
        await panel.page.keyboard.press("Escape");
        await panel.page.keyboard.press("Escape");
      }
      await panel.close();
    },
  );

  it.each([
    ["booting", "fixture.port.change({ power: { is: 'booting', since: Date.now() } })"],
    ["failed", "fixture.port.change({ power: { is: 'failed', error: { code: 'emulator-failed', words: 'It stopped.' }, since: 0 } })"],
    ["asleep", "fixture.port.change({ power: { is: 'booted', awake: false } })"],
    ["switching", "fixture.port.change({ power: { is: 'switching', to: 'Pixel 8', step: 'booting', since: 0 } })"],
    ["lost", "fixture.port.listener.link({ is: 'lost', retryAtMs: performance.now() + 4000 })"],
  ])("has nothing that axe finds wrong while %s", async (_state, make) => {
    const panel = await Panel.open(browser, fixture);
    await panel.run(make);
    await panel.get(".words-box").waitFor();
    expect(await violations(panel)).toEqual([]);
    await panel.close();
  });

  it("is one stop of Tab in the toolbar, with arrows along it and Home and End to its ends", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.get("#action-home").focus();
    await panel.page.keyboard.press("ArrowDown");
    expect(await panel.focus()).toBe("action-back");
    await panel.page.keyboard.press("End");
    expect(await panel.focus()).toBe("action-more");
    await panel.page.keyboard.press("ArrowDown");
    expect(await panel.focus()).toBe("action-home");
    expect(await panel.run("fixture.view.shadowRoot.querySelectorAll('.target[tabindex=\"0\"]').length")).toBe(1);
    await panel.close();
  });

  it("goes through picker, control, Type text, screen and toolbar in that order by Tab", async () => {
    const panel = await Panel.open(browser, fixture);
    const stops: string[] = [];
    for (let press = 0; press < 5; press += 1) {
      await panel.page.keyboard.press("Tab");
      stops.push(await panel.focus());
    }
    expect(stops).toEqual(["picker", "control", "type-text", "screen", "action-home"]);
    await panel.close();
  });

  it("leaves the screen by F6 with control, to the toolbar, the top bar and back, and sends F6 to no device", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get("#screen").focus();
    await panel.page.keyboard.press("Tab");
    expect(await panel.focus(), "Tab is the device's").toBe("screen");
    await panel.get(".caption >> text=Keys go to the device. Press F6 to leave it.").waitFor();
    const walk: string[] = [];
    for (const key of ["F6", "F6", "F6", "Shift+F6", "Shift+F6"]) {
      await panel.page.keyboard.press(key);
      walk.push(await panel.focus());
    }
    expect(walk).toEqual(["action-home", "picker", "screen", "picker", "action-home"]);
    const keys = (await panel.sent()).flatMap((command) => (command.do === "key" && command.down ? [command.keysym] : []));
    const shift = 0xffe1;
    expect(keys.filter((keysym) => keysym !== shift)).toEqual([0xff09]);
    await panel.close();
  });

  it("takes control by Enter on the screen and moves no focus", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.get("#screen").focus();
    await panel.page.keyboard.press("Enter");
    await panel.until("fixture.view.model.holder === 'you'");
    expect(await panel.focus()).toBe("screen");
    await panel.close();
  });

  it("opens More by keyboard, walks it by arrows, closes by Escape and gives the focus back", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.get("#action-more").focus();
    await panel.page.keyboard.press("Enter");
    await panel.get(".pop[role=menu]").waitFor();
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("Enter");
    await panel.get("role=dialog[name='Location']").waitFor();
    await panel.page.keyboard.press("Escape");
    await panel.get(".pop[role=menu]").waitFor();
    await panel.page.keyboard.press("Escape");
    await panel.get(".pop").waitFor({ state: "detached" });
    expect(await panel.focus()).toBe("action-more");
    await panel.close();
  });

  it("types a link as soon as its page is open, and comes back to the row that led to a page", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get("#action-more").click();
    await panel.get("role=menuitem[name='Open link…']").click();
    await panel.get("#field-link").waitFor();
    expect(await panel.focus()).toBe("field-link");
    await panel.page.keyboard.type("https://example.com/");
    await panel.page.keyboard.press("Enter");
    await panel.get(".pop").waitFor({ state: "detached" });
    const asked = (await panel.sent()).flatMap((command) =>
      command.do === "ask" && command.request.type === "open" ? [command.request.url] : [],
    );
    expect(asked).toEqual(["https://example.com/"]);
    await panel.get("#action-more").click();
    for (const [row, page] of [
      [/^Location/, "Location"],
      [/^Network/, "Network"],
    ] as const) {
      await panel.get(".pop[role=menu]").getByRole("menuitem", { name: row }).click();
      await panel.get(`role=dialog[name='${page}']`).waitFor();
      await panel.page.keyboard.press("Escape");
      await panel.get(".pop[role=menu]").waitFor();
      expect(await panel.run<string>("fixture.view.shadowRoot.activeElement.textContent.trim()")).toMatch(row);
    }
    await panel.close();
  });

  it("closes a popover by a press on the screen, which never reaches the device", async () => {
    const panel = await Panel.open(browser, fixture, { query: "holder=you" });
    await panel.get("#action-text-size").click();
    const before = (await panel.sent()).length;
    const box = await panel.get(".app").boundingBox();
    if (box === null) throw new Error("no screen");
    await panel.page.mouse.click(box.x + 30, box.y + 30);
    await panel.get(".pop").waitFor({ state: "detached" });
    expect(await panel.sent()).toHaveLength(before);
    await panel.close();
  });

  it("tells a screen reader of a turn, and who has control", async () => {
    const panel = await Panel.open(browser, fixture);
    await panel.until("performance.now() > 1500");
    await panel.get("#action-rotate-left").click();
    await panel.until("fixture.view.shadowRoot.querySelector('.said').textContent.includes('Turned left.')");
    await panel.run("fixture.port.listener.control({ holder: 'agent', generation: 9 })");
    await panel.until("fixture.view.shadowRoot.querySelector('.said').textContent.includes('The agent has control.')");
    await panel.close();
  });

  it("moves nothing on a turn or a fold with reduced motion", async () => {
    const panel = await Panel.open(browser, fixture, { query: "model=Pixel Fold", reducedMotion: "reduce" });
    await panel.run("fixture.port.control({ action: 'rotate', turn: 'left' }), fixture.port.control({ action: 'posture', to: 'closed' })");
    await panel.until("fixture.view.model.state.geometry.screen === 'outer'");
    const longest = await panel.run<number>(
      "Math.max(0, ...fixture.view.shadowRoot.querySelector('.device').getAnimations({ subtree: true }).filter((animation) => !animation.effect.target.classList.contains('veil')).map((animation) => animation.effect.getTiming().duration))",
    );
    expect(longest).toBeLessThanOrEqual(1);
    await panel.close();
  });

  it.each([
    [320, 256],
    [360, 640],
    [480, 700],
    [560, 380],
    [600, 720],
    [720, 700],
    [1080, 720],
    [1600, 900],
  ])("fits %d × %d with nothing cut off or overlapping, in words and four tenths longer ones", async (width, height) => {
    for (const query of ["model=iPhone 18 Pro", "model=Pixel Fold&holder=you", "model=Pixel 8&physical=turned-left&desktop"]) {
      const panel = await Panel.open(browser, fixture, { query, viewport: { width, height } });
      expect(await panel.run(OVERFLOW)).toEqual([]);
      await panel.close();
    }
    const words = Object.fromEntries(Object.entries(pseudo).filter(([, value]) => typeof value === "string"));
    // At rest: a bar on its way to its new place would be measured where it just is.
    const panel = await Panel.open(browser, fixture, {
      query: "model=Pixel 8&holder=you",
      viewport: { width, height },
      reducedMotion: "reduce",
    });
    await panel.run(
      `fixture.view.messages = { ...fixture.view.messages, ...${JSON.stringify(words)} }, fixture.view.requestUpdate(), fixture.view.updateComplete`,
    );
    // The strip's new height is measured with the next frame, and laid out with the one after.
    await panel.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))");
    expect(await panel.run(OVERFLOW)).toEqual([]);
    await panel.close();
  });

  it("loses nothing with text twice as large, in the top bar, the words and More", async () => {
    for (const width of [480, 720, 1080]) {
      const panel = await Panel.open(browser, fixture, { query: "model=Pixel 8&holder=you", viewport: { width, height: 700 } });
      await panel.run("document.documentElement.style.fontSize = '200%', fixture.view.updateComplete");
      await panel.get("#action-more").click();
      await panel.get(".pop").waitFor();
      expect(await panel.run(OVERFLOW)).toEqual([]);
      const overlaps = await panel.run(`[...fixture.view.shadowRoot.querySelectorAll(".pop .label")].filter((label) => {
        const value = label.closest(".row-button, .row-line").querySelector(".value, .segments, .switch");
        if (value === null) return false;
        const range = document.createRange();
        range.selectNodeContents(label);
        return range.getBoundingClientRect().right > value.getBoundingClientRect().left + 1;
      }).map((label) => label.textContent)`);
      expect(overlaps).toEqual([]);
      await panel.close();
    }
  });

  it("has targets of 44 px on touch and 24 or more with a mouse, 36 in the bar", async () => {
    const touch = await Panel.open(browser, fixture, {
      query: "model=Pixel Fold",
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    expect(await touch.run(`(${SMALL})(44)`)).toEqual([]);
    await touch.get("#action-more").tap();
    await touch.get(".sheet").waitFor();
    expect(await touch.run(`(${SMALL})(32)`)).toEqual([]);
    await touch.close();
    const mouse = await Panel.open(browser, fixture, { query: "model=Pixel Fold" });
    expect(await mouse.run(`(${SMALL})(24)`)).toEqual([]);
    const sizes = await mouse.run<number[]>(
      "[...fixture.view.shadowRoot.querySelectorAll('.target')].map((target) => target.getBoundingClientRect().height)",
    );
    expect(new Set(sizes)).toEqual(new Set([36]));
    await mouse.close();
  });

  it("sends two fingers as two contacts, on a touch screen", async () => {
    const panel = await Panel.open(browser, fixture, {
      query: "holder=you",
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    const box = await panel.get(".app").boundingBox();
    if (box === null) throw new Error("no screen");
    const session = await panel.page.context().newCDPSession(panel.page);
    const at = (x: number, y: number, id: number): { x: number; y: number; id: number } => ({
      x: box.x + box.width * x,
      y: box.y + box.height * y,
      id,
    });
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at(0.3, 0.5, 1)] });
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at(0.3, 0.5, 1), at(0.7, 0.5, 2)] });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    const counts = (await panel.sent()).flatMap((command) =>
      command.do === "ask" && command.request.type === "touch" ? [command.request.contacts.length] : [],
    );
    expect(counts.slice(0, 2)).toEqual([1, 2]);
    expect(counts.at(-1)).toBe(0);
    await panel.close();
  });
});
