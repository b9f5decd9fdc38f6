/** Opens the link in the person's browser, by a file that only they can read: an address on a command line shows in every process list. */
import { spawn } from "node:child_process";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { removeFile, writePrivate } from "#host/state-files.ts";

export interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Starts a program that outlives us; resolves false when there is none of that name. */
  readonly launch: (command: string, args: readonly string[]) => Promise<boolean>;
}

/** How long a browser may take to read the file. */
export const REDIRECT_KEPT_MS = 30_000;

/** Is somebody in front of a screen here? */
export function hasScreen({ platform, env }: Pick<Desktop, "platform" | "env">): boolean {
  if (env["SSH_CONNECTION"] !== undefined || env["CI"] !== undefined) return false;
  if (platform === "darwin" || platform === "win32") return true;
  return (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
}

/** True when a browser was asked. The file is the caller's to remove after REDIRECT_KEPT_MS. */
export async function openLink(url: string, hostHome: string, desktop: Desktop): Promise<boolean> {
  if (!hasScreen(desktop)) return false;
  const file = redirectFile(hostHome);
  writePrivate(file, redirectPage(url));
  const target = pathToFileURL(file).href;
  const [command, args] = opener(desktop.platform, target);
  const opened = await desktop.launch(command, args);
  if (!opened) removeFile(file);
  return opened;
}

export function redirectFile(hostHome: string): string {
  return join(hostHome, "open.html");
}

function opener(platform: NodeJS.Platform, target: string): [string, readonly string[]] {
  if (platform === "darwin") return ["open", [target]];
  if (platform === "win32") return ["explorer.exe", [target]];
  return ["xdg-open", [target]];
}

/** The link is ours: letters, digits, and what a URL takes; escaped all the same. */
function redirectPage(url: string): string {
  const safe = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${safe}"><title>bb-box-device</title>\n`;
}

/** What a person without a screen here types at home. */
export function tunnelLine(port: number): string {
  return `ssh -L ${port}:127.0.0.1:${port} ${userInfo().username}@${hostname()}`;
}

export const systemDesktop: Desktop = {
  platform: process.platform,
  env: process.env,
  launch: (command, args) =>
    new Promise((resolve) => {
      const child = spawn(command, [...args], { stdio: "ignore", detached: true });
      child.once("error", () => resolve(false));
      child.once("spawn", () => {
        child.unref();
        resolve(true);
      });
    }),
};
