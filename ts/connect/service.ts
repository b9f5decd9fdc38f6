/** What the service manager knows of the device server, in words. systemd gives up by itself; launchd never does, so there the server does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const SYSTEMD_UNIT = "bb-box-device.service";
export const LAUNCHD_LABEL = "dev.bb-box.device";
/** The server's own note that it has ended a crash loop; see ts/server/starts.ts. */
export const GIVEN_UP_FILE = "given-up.json";

export interface CommandResult {
  readonly ok: boolean;
  /** There is no such program here. */
  readonly missing: boolean;
  readonly stdout: string;
  readonly stderr: string;
}
export type RunCommand = (command: string, args: readonly string[]) => Promise<CommandResult>;

export type ServiceState =
  /** Nothing would start it. */
  | { readonly is: "none"; readonly words: string }
  | { readonly is: "inactive" }
  | { readonly is: "running" }
  | { readonly is: "given-up"; readonly words: string };

export interface ServiceManager {
  look(): Promise<ServiceState>;
  /** Rejects in words. */
  start(): Promise<void>;
  /** The command that shows its log. */
  readonly logs: string;
}

const BY_HAND = "Start it with: bb-box-device serve";

export function manager(platform: NodeJS.Platform, home: string, run: RunCommand): ServiceManager {
  return platform === "darwin" ? launchd(home, run) : systemd(run);
}

function systemd(run: RunCommand): ServiceManager {
  const logs = `journalctl --user -u ${SYSTEMD_UNIT}`;
  const again = `systemctl --user reset-failed ${SYSTEMD_UNIT} && systemctl --user start ${SYSTEMD_UNIT}`;
  return {
    logs,
    async look() {
      const properties = "LoadState,ActiveState,SubState,Result,NRestarts,ExecMainStatus";
      const shown = await run("systemctl", ["--user", "show", SYSTEMD_UNIT, "-p", properties]);
      if (shown.missing) return { is: "none", words: BY_HAND };
      if (!shown.ok) return { is: "none", words: `systemd cannot be asked about its service (${shown.stderr}). ${BY_HAND}` };
      const of = new Map(shown.stdout.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
      if (of.get("LoadState") !== "loaded")
        return { is: "none", words: `Its service ${SYSTEMD_UNIT} is not set up (${of.get("LoadState") ?? "unknown"}). ${BY_HAND}` };
      if (of.get("ActiveState") === "failed") {
        const status = of.get("ExecMainStatus") ?? "unknown";
        const why =
          of.get("Result") === "start-limit-hit"
            ? `The device server crashed again and again, so systemd has given it up (${of.get("NRestarts") ?? "?"} restarts, last exit status ${status}).`
            : `The device server's service failed (${of.get("Result") ?? "unknown"}, exit status ${status}).`;
        return { is: "given-up", words: `${why} See why with: ${logs}. Then start it again with: ${again}` };
      }
      return { is: of.get("ActiveState") === "inactive" ? "inactive" : "running" };
    },
    async start() {
      const started = await run("systemctl", ["--user", "start", SYSTEMD_UNIT]);
      if (!started.ok) throw new Error(`systemd could not start the device server: ${started.stderr}. See: ${logs}`);
    },
  };
}

function launchd(home: string, run: RunCommand): ServiceManager {
  const target = `gui/${process.getuid?.() ?? 0}/${LAUNCHD_LABEL}`;
  const logs = `tail -50 ${join(home, "server.log")}`;
  return {
    logs,
    async look() {
      const printed = await run("launchctl", ["print", target]);
      if (printed.missing) return { is: "none", words: BY_HAND };
      if (!printed.ok) return { is: "none", words: `Its agent ${LAUNCHD_LABEL} is not loaded. ${BY_HAND}` };
      const running = /^\s*state = running$/m.test(printed.stdout);
      if (running) return { is: "running" };
      const words = givenUp(home);
      if (words !== null)
        return { is: "given-up", words: `${words} See why with: ${logs}. Then start it again with: launchctl kickstart ${target}` };
      // Between two tries launchd says "spawn scheduled"; it starts the agent by itself.
      return { is: /^\s*state = (spawn scheduled|waiting)$/m.test(printed.stdout) ? "running" : "inactive" };
    },
    async start() {
      const started = await run("launchctl", ["kickstart", target]);
      if (!started.ok) throw new Error(`launchd could not start the device server: ${started.stderr}. See: ${logs}`);
    },
  };
}

function givenUp(home: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(home, GIVEN_UP_FILE), "utf8"));
    if (typeof value === "object" && value !== null && "words" in value && typeof value.words === "string") return value.words;
  } catch {
    // No such file: it has not given up.
  }
  return null;
}
