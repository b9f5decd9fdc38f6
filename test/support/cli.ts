/** Commands on a running box, as a person or a program runs them. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { hostOf } from "#cli/host-client.ts";
import type { DeviceElement } from "#core/device.ts";
import { ROOT } from "./product.ts";

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCli(
  args: readonly string[],
  options: { node?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.node ?? process.execPath, [join(ROOT, "build/bb-box-device.mjs"), ...args], {
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A command's JSON answer; throws what it said when it failed. */
export async function askCli<T>(home: string, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runCli([...args, "--json", "--home", home]);
  if (code !== 0) throw new Error(`bb-box-device ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Every element on the screen now, flat. Asked of the running host, with no process a look: who waits for a page looks many times. */
export async function elements(home: string): Promise<readonly DeviceElement[]> {
  const host = hostOf(join(home, "host"));
  const { elements: roots = [] } = await host.ask(await host.box(undefined), { type: "tree" });
  const flat = (list: readonly DeviceElement[]): DeviceElement[] => list.flatMap((one) => [one, ...flat(one.children)]);
  return flat(roots);
}

/** The middle of an element by its label. */
export async function middleOf(home: string, label: string): Promise<{ x: number; y: number }> {
  const all = await elements(home);
  const found = all.find((element) => element.label === label);
  if (found === undefined) throw new Error(`No "${label}" on the screen; there is: ${all.map((element) => element.label).join(", ")}`);
  return { x: found.frame.x + found.frame.width / 2, y: found.frame.y + found.frame.height / 2 };
}
