/** The commands that read or drive the device of a running box. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DeviceElement } from "#core/device.ts";
import type { AnswerOk } from "#wire/device.ts";
import { COORDINATE_MAX } from "#wire/limits.ts";
import { controlRequest } from "#cli/control-words.ts";
import { type HostClient, hostOf } from "#cli/host-client.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";

interface Asked {
  readonly host: HostClient;
  readonly box: string;
}

async function reach(world: World): Promise<Asked> {
  const host = hostOf(world.paths.host);
  return { host, box: await host.box(world.args.options.get("box")) };
}

/** The answer on stdout as JSON, or its words for a person. */
function tell(world: World, answer: AnswerOk, words: string): void {
  if (world.args.flags.has("json")) world.out(JSON.stringify(answer));
  else world.err(answer.words ?? words);
}

export async function screenshot(world: World): Promise<void> {
  const [file = ""] = world.args.positionals;
  const { host, box } = await reach(world);
  const answer = await host.ask(box, { type: "screenshot" });
  const png = Buffer.from(answer.png ?? "", "base64");
  if (file === "-") {
    process.stdout.write(png);
    return;
  }
  const path = resolve(file);
  try {
    writeFileSync(path, png);
  } catch (error) {
    throw new CommandError(`The screenshot cannot be written: ${error instanceof Error ? error.message : String(error)}`, EXIT.failed);
  }
  const { png: _png, ...rest } = answer;
  tell(world, { ...rest, words: `${path}: ${answer.width ?? 0}x${answer.height ?? 0}` }, "");
}

export async function tree(world: World): Promise<void> {
  const { host, box } = await reach(world);
  const answer = await host.ask(box, { type: "tree" });
  if (world.args.flags.has("json")) return world.out(JSON.stringify(answer));
  for (const element of answer.elements ?? []) printElement(world, element, 0);
}

function printElement(world: World, element: DeviceElement, depth: number): void {
  const { x, y, width, height } = element.frame;
  const can = element.can === null ? [] : Object.entries(element.can).flatMap(([what, yes]) => (yes ? [what] : []));
  const parts = [
    element.role,
    element.label === "" ? "" : JSON.stringify(element.label),
    element.value === null || element.value === "" ? "" : `= ${JSON.stringify(element.value)}`,
    element.identifier === null ? "" : `#${element.identifier}`,
    `${Math.round(x)},${Math.round(y)} ${Math.round(width)}x${Math.round(height)}`,
    can.join("+"),
    element.enabled ? "" : "disabled",
    element.focused ? "focused" : "",
  ];
  world.out(`${"  ".repeat(depth)}${parts.filter((part) => part !== "").join("  ")}`);
  for (const child of element.children) printElement(world, child, depth + 1);
}

export async function tap(world: World): Promise<void> {
  const [x, y] = numbers(world, ["X", "Y"]);
  const asked = await reach(world);
  const generation = await generationOf(asked);
  tell(world, await asked.host.ask(asked.box, { type: "input", input: { type: "tap", at: { x, y, generation } } }), "Tapped.");
}

export async function swipe(world: World): Promise<void> {
  const [x1, y1, x2, y2] = numbers(world, ["X1", "Y1", "X2", "Y2"]);
  const ms = Number(world.args.options.get("ms") ?? 300);
  if (!Number.isFinite(ms) || ms < 0) throw new CommandError("--ms takes milliseconds.", EXIT.usage);
  const asked = await reach(world);
  const generation = await generationOf(asked);
  const input = { type: "swipe", from: { x: x1, y: y1, generation }, to: { x: x2, y: y2, generation }, ms };
  tell(world, await asked.host.ask(asked.box, { type: "input", input }), "Swiped.");
}

export async function text(world: World): Promise<void> {
  const [words = ""] = world.args.positionals;
  const { host, box } = await reach(world);
  tell(world, await host.ask(box, { type: "input", input: { type: "text", text: words } }), "Typed.");
}

const MODIFIERS: readonly string[] = ["shift", "control", "alt", "meta"];

export async function key(world: World): Promise<void> {
  const [name = ""] = world.args.positionals;
  const modifiers = (world.args.options.get("modifiers") ?? "").split(",").filter((one) => one !== "");
  const unknown = modifiers.find((one) => !MODIFIERS.includes(one));
  if (unknown !== undefined) throw new CommandError(`--modifiers takes ${MODIFIERS.join(", ")}, not ${unknown}.`, EXIT.usage);
  const { host, box } = await reach(world);
  tell(world, await host.ask(box, { type: "input", input: { type: "key", key: name, modifiers } }), "Pressed.");
}

export async function control(world: World): Promise<void> {
  const [action = "", ...values] = world.args.positionals;
  const { options } = world.args;
  const request = controlRequest({ action, values, to: options.get("to"), turn: options.get("turn") });
  if (typeof request === "string") throw new CommandError(request, EXIT.usage);
  const { host, box } = await reach(world);
  tell(world, await host.ask(box, request), "Done.");
}

async function generationOf({ host, box }: Asked): Promise<number> {
  const { state, away } = await host.details(box);
  const generation = state?.geometry?.generation;
  if (generation === undefined)
    throw new CommandError(away ?? "The device shows no picture yet. Try again when `status` says that it has booted.", EXIT.refused);
  return generation;
}

function numbers<const Names extends readonly string[]>(world: World, names: Names): { [K in keyof Names]: number } {
  return names.map((name, index) => {
    const value = Number(world.args.positionals[index]);
    if (!Number.isFinite(value) || value > COORDINATE_MAX) {
      const given = JSON.stringify(world.args.positionals[index]);
      throw new CommandError(`${name} is a number of pixels, at most ${COORDINATE_MAX}, not ${given}.`, EXIT.usage);
    }
    return value;
  }) as { [K in keyof Names]: number };
}
