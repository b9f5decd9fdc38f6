/** What stands on the stage besides the frame itself: the screen's own element, the words on it, the caption, the note. */
import { html, nothing, type TemplateResult } from "lit";
import type { Box, Fit } from "#viewer/frame/fit.ts";
import { isSideways } from "#viewer/frame/turn.ts";
import type { Context } from "#viewer/panel/context.ts";
import type { Layout } from "#viewer/panel/layout.ts";
import { deviceName, physicalNow } from "#viewer/panel/model.ts";
import type { ScreenSays } from "#viewer/panel/says.ts";
import { styles } from "./styles.ts";
import { screenWords } from "./words.ts";

/** The scrolled content: the frame is put in front of it by the element. */
export function stageContent(context: Context, layout: Layout | null, says: ScreenSays, caption: string | null): TemplateResult {
  const { t, model } = context;
  const name = t.screenName({ name: deviceName(model) ?? t.unnamedDevice });
  const screen = layout === null ? {} : boxStyle(seenScreen(layout.fit, isSideways(physicalNow(model.state))));
  return html`${says.kind === "no-device" && layout !== null ? noDevice(context, layout.fit) : nothing}
    <div class="app ${model.pixelForPixel && model.holder !== "you" ? "pans" : ""}" role="application" aria-label=${name} ${styles(screen)}>
      <textarea
        class="keys"
        id="screen"
        aria-label=${name}
        aria-describedby="screen-note"
        autocapitalize="off"
        autocomplete="off"
        autocorrect="off"
        spellcheck="false"
        rows="1"
      ></textarea>
    </div>
    <div class="words" ${styles(screen)}>${screenWords(context, says)}</div>
    ${
      caption === null || layout === null
        ? nothing
        : html`<div class="caption" ${styles({ top: `${captionTop(layout)}px` })}>${caption}</div>`
    }`;
}

function noDevice({ t }: Context, fit: Fit): TemplateResult {
  return html`<div class="no-device-outline" ${styles({ ...boxStyle(fit.frame), "border-radius": `${fit.body.radius}px` })}>
    <p class="heading">${t.noDevice}</p>
    <p>${t.noDeviceNote}</p>
  </div>`;
}

/** The first-time line about taking control, on touch screens. */
export function note({ t }: Context, layout: Layout | null): TemplateResult | typeof nothing {
  if (layout === null || !layout.note) return nothing;
  return html`<div class="note" ${styles(noteStyle(layout))}>${t.firstUse}</div>`;
}

/** The content's own size; null before there is a layout. */
export function contentStyle(layout: Layout | null): Record<string, string> {
  return layout === null ? {} : { width: `${layout.fit.content.width}px`, height: `${layout.fit.content.height}px` };
}

function boxStyle(box: Box): Record<string, string> {
  return { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` };
}

function seenScreen(fit: Fit, sideways: boolean): Box {
  const { screen } = fit.body;
  const width = sideways ? screen.height : screen.width;
  const height = sideways ? screen.width : screen.height;
  return { x: fit.frame.x + (fit.frame.width - width) / 2, y: fit.frame.y + (fit.frame.height - height) / 2, width, height };
}

/** The caption stands 12 below the frame, and never outside the stage or on the row. */
function captionTop({ fit }: Layout): number {
  const below = fit.frame.y + fit.frame.height + 12;
  const end = fit.place === "row" ? fit.bar.y - 16 : fit.content.height - 20;
  return Math.max(fit.frame.y + fit.frame.height + 1, Math.min(below, end));
}

function noteStyle({ fit }: Layout): Record<string, string> {
  const top = `${fit.bar.y + fit.bar.height + 8}px`;
  if (fit.place === "row") return { top };
  // Under the bar, in the column that the frame leaves free.
  const left = fit.frame.x + fit.frame.width + 8;
  return { left: `${left}px`, width: `${fit.bar.x - left + fit.bar.width + 24}px`, right: "auto", padding: "0", top };
}
