/** The screen as a PNG, and a link opened on it. */
import { DeviceError } from "#core/errors.ts";
import type { Still } from "#drivers/driver.ts";

import { quoted, type AdbShell } from "./adb.ts";
import { ImageFormat_ImgFormat } from "./generated/emulator_controller_pb.js";
import type { PicturePipeline } from "./pipeline.ts";
import type { Session } from "./session.ts";

/** The mapping's own pixels where there are any, else the emulator's own screenshot. Rejects in words while the display is off. */
export async function screenshotOf(session: Session, pipeline: PicturePipeline, longestEdge: number | undefined): Promise<Still> {
  const { frames, channel } = session;
  if (frames.transport === "shared-memory" && frames.awake) {
    const mapped = await pipeline.screenshot(longestEdge).catch(() => null);
    if (mapped !== null) return mapped;
  }
  const edge = longestEdge ?? 0;
  const { generation } = frames;
  const picture = await channel.screenshot({ format: ImageFormat_ImgFormat.PNG, width: edge, height: edge });
  if (picture.pixels.length === 0)
    throw new DeviceError("failed", "The device's display is off, so there is no screenshot. Wake it first.");
  return { png: picture.pixels, width: picture.format?.width ?? 0, height: picture.format?.height ?? 0, generation };
}

/** Opens a link in whichever app takes it. Rejects in words when none does. */
export async function openLink(shell: AdbShell, url: string): Promise<void> {
  const said = await shell.shell(`am start -a android.intent.action.VIEW -d ${quoted(url)} 2>&1`, { anyCode: true });
  const wrong = /^Error: (.*)$/m.exec(said)?.[1];
  if (wrong !== undefined) throw new DeviceError("failed", `No app on the device opens ${url}: ${wrong}`);
}
