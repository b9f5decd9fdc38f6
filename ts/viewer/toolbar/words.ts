/** What the screen says over the picture or on black: HTML, upright for the reader, never scaled with the device. */
import { html, nothing, type TemplateResult } from "lit";
import { styles } from "#viewer/toolbar/styles.ts";
import type { SwitchStep } from "#core/device.ts";
import type { Context } from "#viewer/panel/context.ts";
import type { ScreenSays } from "#viewer/panel/says.ts";
import { icon } from "./icons.ts";

const STEPS: readonly SwitchStep[] = ["stopping", "booting", "waiting", "streaming"];
/** Progress never claims to be done before it is. */
const BAR_MOST = 0.95;

export function screenWords(context: Context, says: ScreenSays): TemplateResult | typeof nothing {
  const { t, acts } = context;
  switch (says.kind) {
    case "nothing":
    case "no-device":
      return nothing;
    case "connecting":
      return plain(
        html`${heading(says.name ?? t.connecting)}${says.name === null ? nothing : text(t.connecting)}
          <div class="track"><div class="slide"></div></div>
          ${says.slow ? text(t.takingLonger) : nothing}`,
      );
    case "booting": {
      const late = says.elapsedMs > says.expectedMs;
      const share = Math.min(BAR_MOST, says.elapsedMs / says.expectedMs);
      const words = (late ? t.bootOverdue : t.bootProgress)({ elapsedMs: says.elapsedMs, expectedMs: says.expectedMs });
      return plain(
        html`${heading(says.name)}${text(t.booting)}
          <div class="track"><div class="fill" ${styles({ transform: `scaleX(${share})` })}></div></div>
          <p class="count">${words}</p>
          ${says.doing === null ? nothing : text(says.doing)}${says.firstBoot ? text(t.firstBootMayTake) : nothing}`,
      );
    }
    case "switching":
      return plain(
        html`${heading(says.name)}${text(says.from === null ? t.switching : t.switchingFrom({ name: says.from }))}
          <ol class="steps">
            ${STEPS.map((step) => stepRow(context, step, says))}
          </ol>`,
      );
    case "asleep":
      return plate(
        says.overPicture,
        html`${icon("moon", 22)}${heading(t.asleep)}
          <button class="button on-screen" @click=${() => void acts.control({ action: "wake" })}>${t.wake}</button>`,
      );
    case "failed":
      return plain(
        html`<span class="alarm">${icon("triangle-alert", 24)}</span>${heading(t.failed({ name: says.name }))}
          <p class="said-by-server">${says.words}</p>
          <button class="button on-screen" @click=${() => void acts.control({ action: "reboot" })}>${t.rebootDevice}</button>
          ${text(t.failedNote({ cold: says.cold }))}
          <code>${says.code}</code>`,
      );
    case "stopped":
      return plain(
        html`${heading(says.name)}${text(t.stopped)}
          <button class="button on-screen" @click=${() => void acts.control({ action: "reboot" })}>${t.startDevice}</button>`,
      );
    case "lost":
      return plate(
        says.overPicture,
        html`${icon("unplug", 24)}${heading(t.lost)}${text(says.retryInMs === null ? t.connecting : t.lostIn({ ms: says.retryInMs }))}
          <button class="button on-screen" ?disabled=${says.retryInMs === null} @click=${() => acts.connectNow()}>${t.connectNow}</button>`,
      );
    case "superseded":
      return plate(says.overPicture, html`<p class="alone">${t.superseded}</p>`);
    case "ended":
      return plate(says.overPicture, html`<p class="alone">${says.words ?? t.ended}</p>`);
    case "refused":
      return plain(
        says.why === "no-token"
          ? html`${icon("unplug", 24)}${heading(t.noToken)}${text(t.noTokenNote)}`
          : html`${icon("unplug", 24)}${heading(t.oldToken)}${text(t.oldTokenNote)}`,
      );
  }
}

function stepRow(context: Context, step: SwitchStep, says: Extract<ScreenSays, { kind: "switching" }>): TemplateResult {
  const at = STEPS.indexOf(step);
  const now = STEPS.indexOf(says.step);
  const how = at < now ? "done" : at === now ? "now" : "later";
  const mark = how === "done" ? icon("check", 16) : how === "now" ? icon("loader-circle", 16) : html`<span class="dot"></span>`;
  return html`<li class=${how} aria-current=${how === "now" ? "step" : nothing}>
    ${mark}<span>${context.t.step({ step, from: says.from ?? "" })}</span>
  </li>`;
}

function heading(words: string): TemplateResult {
  return html`<p class="heading">${words}</p>`;
}

function text(words: string): TemplateResult {
  return html`<p>${words}</p>`;
}

function plain(content: TemplateResult): TemplateResult {
  return html`<div class="words-box">${content}</div>`;
}

function plate(over: boolean, content: TemplateResult): TemplateResult {
  return html`<div class="words-box ${over ? "plate" : ""}">${content}</div>`;
}
