/** Details: what makes the stream, its size, and how long a picture takes to be seen. */
import { html, nothing, type TemplateResult } from "lit";
import { styles } from "#viewer/toolbar/styles.ts";
import type { Context } from "#viewer/panel/context.ts";
import type { PlayFigures } from "#viewer/stream/screenplay.ts";
import { pageTitle } from "./fields.ts";

/** The histogram's columns end at these, ms; the last takes the rest. */
export const HISTOGRAM_ENDS_MS = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, Number.POSITIVE_INFINITY] as const;

/** How many of the times fall into each column. */
export function histogram(timesMs: readonly number[]): readonly number[] {
  const columns = HISTOGRAM_ENDS_MS.map(() => 0);
  for (const time of timesMs) {
    const at = HISTOGRAM_ENDS_MS.findIndex((end) => time < end);
    columns[at < 0 ? columns.length - 1 : at] = (columns[at < 0 ? columns.length - 1 : at] ?? 0) + 1;
  }
  return columns;
}

export function detailsPage(context: Context, figures: PlayFigures, back: (() => void) | null): TemplateResult {
  const { t, model } = context;
  const { hello, state, latency, stats } = model;
  const video = state?.geometry?.video;
  // Another encoder may have taken over since HELLO, or the first was opened after it.
  const encoder = stats?.encoder ?? hello?.encoder ?? null;
  const line = (name: string, value: string): TemplateResult =>
    html`<div class="detail">
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const stage = (name: string, times: { readonly samples: number; readonly p50Ms: number; readonly p95Ms: number }): TemplateResult =>
    line(name, times.samples === 0 ? t.detailLatencyNone : t.detailLatencyValue({ medianMs: times.p50Ms, p95Ms: times.p95Ms }));
  const columns = histogram(figures.timesMs);
  const highest = Math.max(1, ...columns);
  return html`${pageTitle(t.detailsTitle, back)}
    <dl class="details">
      ${line(t.detailEncoder, encoder === null ? t.unknown : `${encoder.name} ${encoder.version}`)}
      ${line(t.detailPicture, video === undefined ? t.unknown : t.detailPictureValue(video))}
      ${line(t.detailServer, hello === null ? t.unknown : String(hello.version))} ${line(t.detailFrames, String(figures.drawn))}
      ${stats === null ? nothing : html`${line(t.detailViewers, String(stats.viewers))}${stage(t.detailEncoding, stats.stages.encode)}${stage(t.detailWhole, stats.stages.captureToDrawn)}`}
      ${line(t.detailLatency, latency === null ? t.detailLatencyNone : t.detailLatencyValue(latency))}
    </dl>
    ${
      figures.timesMs.length === 0
        ? nothing
        : html`<div class="histogram" role="img" aria-label=${t.histogramName({ samples: figures.timesMs.length })}>
            ${columns.map((count) => html`<span ${styles({ height: `${Math.max(2, (count / highest) * 40)}px` })}></span>`)}
          </div>`
    }`;
}
