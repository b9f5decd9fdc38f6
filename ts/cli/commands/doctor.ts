/** `doctor`: every check, each with its fix; exit 1 when one is bad. */
import { join } from "node:path";
import { hasScreen, tunnelLine } from "#cli/browser.ts";
import {
  type Check,
  checkAddon,
  checkBox,
  checkBrowser,
  checkEncoder,
  checkGlibc,
  checkHome,
  checkNode,
  checkPort,
  glibcOf,
  type Loaded,
} from "#cli/checks.ts";
import { portOf } from "#cli/commands/host.ts";
import { HostClient } from "#cli/host-client.ts";
import { readRunning } from "#cli/running.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, NOTHING, type World } from "#cli/world.ts";

export async function doctor(world: World): Promise<void> {
  const { paths, env } = world;
  const port = portOf(world);
  const loaded = await load();
  const before = readRunning(paths.host);
  const client = before === null ? null : new HostClient(before);
  const running = client !== null && (await client.alive()) ? client : null;
  const checks: Check[] = [
    checkNode(process.versions.node),
    checkGlibc(process.platform, glibcOf(process.report.getReport())),
    checkAddon(loaded),
    checkEncoder(loaded, env["BB_OPENH264"]),
    ...(await androidChecks(world.args.options.get("device"))),
    checkHome(paths.home, join(paths.device, "device.sock"), process.platform),
    await checkPort(port, running?.running.port ?? null),
    checkBrowser(hasScreen({ platform: process.platform, env }), tunnelLine(running?.running.port ?? port)),
    ...(running === null ? [] : await boxChecks(running)),
  ];
  const worst = checks.some((check) => check.is === "bad");
  if (world.args.flags.has("json")) world.out(JSON.stringify({ ok: !worst, checks }));
  else for (const check of checks) print(world, check);
  if (worst) throw new CommandError("Something is not right; the fix stands beside it.", EXIT.failed, NOTHING);
}

async function boxChecks(client: HostClient): Promise<Check[]> {
  const boxes = await client.boxes().catch(() => []);
  return Promise.all(boxes.map(async ({ id }) => checkBox(await client.details(id))));
}

/** What is wrong with Android is bad only where Android is asked for. */
async function androidChecks(device: string | undefined): Promise<readonly Check[]> {
  const { androidDoctor } = await import("#drivers/android/doctor.ts");
  const rows = await androidDoctor();
  if (device !== undefined && device !== "test") return rows;
  const [sdk] = rows;
  if (sdk?.is === "bad") return [{ ...sdk, is: "care", words: `${sdk.words} It is needed for --device android alone.` }];
  return rows.map((row) => (row.is === "bad" ? { ...row, is: "care" } : row));
}

async function load(): Promise<Loaded> {
  const { loadAddon } = await import("#native/load.ts");
  try {
    return loadAddon();
  } catch (error) {
    return { words: error instanceof Error ? error.message : String(error) };
  }
}

const MARKS = { good: "ok  ", care: "care", bad: "BAD " } as const;

function print(world: World, check: Check): void {
  world.out(`${MARKS[check.is]}  ${check.name.padEnd(12)} ${check.words.replaceAll("\n", "\n                   ")}`);
  if (check.fix !== null) world.out(`                   Fix: ${check.fix}`);
}
