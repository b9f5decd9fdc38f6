/** A screenshot to this computer's clipboard; where the browser refuses that, to a file. */
import type { Outcome } from "#viewer/stream/requests.ts";
import { fromBase64 } from "#viewer/stream/stills.ts";

export type ScreenshotCame = "copied" | "downloaded" | Outcome;

/** `asking` is the request under way: Safari allows the clipboard only to what is begun within the press itself. */
export async function putScreenshot(asking: Promise<Outcome>, name: string, window: Window & typeof globalThis): Promise<ScreenshotCame> {
  const blob = asking.then((outcome) => {
    if (!outcome.ok || outcome.answer.png === undefined) throw new NoPicture();
    return new window.Blob([fromBase64(outcome.answer.png)], { type: "image/png" });
  });
  blob.catch(() => undefined);
  const copied = copy(blob, window);
  const outcome = await asking;
  if (!outcome.ok || outcome.answer.png === undefined) {
    await copied;
    return outcome;
  }
  if (await copied) return "copied";
  download(await blob, `${name} ${stamp(new Date())}.png`, window);
  return "downloaded";
}

class NoPicture extends Error {}

async function copy(blob: Promise<Blob>, window: Window & typeof globalThis): Promise<boolean> {
  try {
    if (window.ClipboardItem === undefined) {
      await blob;
      return false;
    }
    await window.navigator.clipboard.write([new window.ClipboardItem({ "image/png": blob })]);
    return true;
  } catch {
    return false;
  }
}

function download(blob: Blob, fileName: string, window: Window): void {
  const url = URL.createObjectURL(blob);
  const link = window.document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** "2026-11-30 09.41.00", which sorts, and which every file system takes. */
function stamp(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}.${two(date.getMinutes())}.${two(date.getSeconds())}`;
}
