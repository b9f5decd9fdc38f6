/** The panel in a page, driven the way a person does: by what is on the device's screen and in the bar. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

interface View extends HTMLElement {
  readonly figures: { readonly drawn: number; readonly errors: number };
}

export interface Panel {
  readonly page: Page;
  /** What the page said on its console that is an error. */
  readonly errors: readonly string[];
  /** The picture's size in the video's pixels. */
  size(): Promise<{ width: number; height: number }>;
  /** Resolves once this many pictures have been drawn. */
  drawn(count: number): Promise<void>;
  figures(): Promise<{ drawn: number; errors: number }>;
  /** Red, green and blue at a point of the video. */
  colour(x: number, y: number): Promise<readonly [number, number, number]>;
  /** A click at a point of the video, wherever the frame has put it and however it is turned. */
  click(x: number, y: number): Promise<void>;
  /** A point of the video in the page's CSS pixels. */
  place(x: number, y: number): Promise<{ x: number; y: number }>;
  /** A button of the bar by its action. */
  press(action: string): Promise<void>;
  screenshot(path: string): Promise<void>;
}

/** Opens a link; resolves when the first picture is on the canvas. `prepare` sees the page before its scripts do. */
export async function openPanel(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<Panel> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await prepare(page);
  await page.goto(url);
  const canvas = page.locator("device-view canvas");
  const figures = () =>
    page.evaluate(() => {
      const view = document.querySelector("device-view") as View | null;
      return view === null ? { drawn: 0, errors: 0 } : { drawn: view.figures.drawn, errors: view.figures.errors };
    });
  const drawn = async (count: number) => {
    await page.waitForFunction((least) => ((document.querySelector("device-view") as View | null)?.figures.drawn ?? 0) >= least, count, {
      timeout: 100_000,
    });
  };
  await drawn(1);
  const place = (x: number, y: number) =>
    canvas.evaluate(
      (element, at) => {
        const picture = element as HTMLCanvasElement;
        // Follows every transform between the canvas and the page, turns included.
        let matrix = new DOMMatrix();
        const chain: HTMLElement[] = [];
        for (let node: HTMLElement | null = picture; node !== null;) {
          chain.unshift(node);
          node = node.parentElement ?? ((node.getRootNode() as ShadowRoot).host as HTMLElement | undefined) ?? null;
        }
        const turned = chain.some((node) => getComputedStyle(node).transform !== "none");
        const box = picture.getBoundingClientRect();
        if (!turned) return { x: box.left + (at.x / picture.width) * box.width, y: box.top + (at.y / picture.height) * box.height };
        for (const node of chain) {
          const style = getComputedStyle(node);
          if (style.transform !== "none") matrix = matrix.multiply(new DOMMatrix(style.transform));
        }
        const [local] = [
          new DOMPoint((at.x / picture.width - 0.5) * picture.clientWidth, (at.y / picture.height - 0.5) * picture.clientHeight),
        ];
        const moved = new DOMMatrix([matrix.a, matrix.b, matrix.c, matrix.d, 0, 0]).transformPoint(local);
        return { x: box.left + box.width / 2 + moved.x, y: box.top + box.height / 2 + moved.y };
      },
      { x, y },
    );
  return {
    page,
    errors,
    drawn,
    figures,
    place,
    size: () =>
      canvas.evaluate((element) => ({ width: (element as HTMLCanvasElement).width, height: (element as HTMLCanvasElement).height })),
    colour: (x, y) =>
      canvas.evaluate(
        (element, at) => {
          const data = (element as HTMLCanvasElement).getContext("2d")?.getImageData(at.x, at.y, 1, 1).data;
          return [data?.[0] ?? -1, data?.[1] ?? -1, data?.[2] ?? -1] as const;
        },
        { x: Math.round(x), y: Math.round(y) },
      ),
    async click(x, y) {
      // A turn or a fold may still be moving the picture.
      let at = await place(x, y);
      for (let before = { x: Number.NaN, y: Number.NaN }; before.x !== at.x || before.y !== at.y;) {
        before = at;
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        at = await place(x, y);
      }
      await page.mouse.click(at.x, at.y);
    },
    press: (action) => page.locator(`device-view [data-action="${action}"]`).click(),
    screenshot: async (path) => {
      await page.screenshot({ path });
    },
  };
}
