/** `status`: what runs on this home. */
import type { DeviceState } from "#core/device.ts";
import { type BoxDetails, type HostClient, hostOf } from "#cli/host-client.ts";
import type { World } from "#cli/world.ts";

export async function status(world: World): Promise<void> {
  const host = hostOf(world.paths.host);
  const wanted = world.args.options.get("box");
  const ids = wanted === undefined ? (await host.boxes()).map((box) => box.id) : [wanted];
  const boxes = await Promise.all(ids.map((id) => host.details(id)));
  if (world.args.flags.has("json")) return world.out(JSON.stringify(statusJson(host, boxes)));
  world.out(`Link     ${host.running.url}`);
  for (const box of boxes) for (const line of boxLines(box)) world.out(line);
}

function statusJson(host: HostClient, boxes: readonly BoxDetails[]): object {
  return { running: true, url: host.running.url, port: host.running.port, pid: host.running.pid, boxes };
}

export function boxLines(box: BoxDetails): string[] {
  const lines = ["", `Box      ${box.id} (${box.name})`];
  if (box.away !== null) return [...lines, `Away     ${box.away}`];
  const { state, server, owner } = box;
  if (state !== null) {
    const video = state.geometry === null ? "" : `, ${state.geometry.video.width}x${state.geometry.video.height}`;
    lines.push(`Device   ${state.model}${box.device?.runtime ? ` (${box.device.runtime})` : ""}: ${powerWords(state)}${video}`);
  }
  if (server !== null) {
    lines.push(`Encoder  ${server.encoder === null ? "none yet" : `${server.encoder.name} ${server.encoder.version}`}`);
    lines.push(`Server   version ${server.version}, Node ${server.host.node} on ${server.host.os} ${server.host.cpu}`);
  }
  const who = { none: "nobody", agent: "the agent", person: "a person" }[owner.holder];
  lines.push(`Control  ${who} has it; ${box.watching} ${box.watching === 1 ? "browser watches" : "browsers watch"}`);
  return [...lines, ...latencyLines(box), ...(box.warning ? [`Warning  ${box.warning}`] : [])];
}

/** Median and 95th percentile in milliseconds, stage by stage, where pictures moved. */
function latencyLines({ stats, latencies }: BoxDetails): string[] {
  const stages = Object.entries(stats?.stages ?? {}).filter(([, { samples }]) => samples > 0);
  const parts = stages.map(([stage, { p50Ms, p95Ms }]) => `${STAGE_WORDS[stage] ?? stage} ${p50Ms}/${p95Ms}`);
  const drawn = latencies.map(({ medianMs, p95Ms }) => `${medianMs}/${p95Ms}`);
  return [
    ...(parts.length === 0 ? [] : [`Stages   ${parts.join(", ")} ms (median/95%)`]),
    ...(drawn.length === 0 ? [] : [`Browsers ${drawn.join(", ")} ms from sending to drawing`]),
  ];
}

const STAGE_WORDS: Readonly<Record<string, string>> = {
  convert: "convert",
  encode: "encode",
  handOver: "hand over",
  send: "send",
  draw: "draw",
  captureToSent: "capture to sent",
  captureToDrawn: "capture to drawn",
};

function powerWords(state: DeviceState): string {
  const { power } = state;
  switch (power.is) {
    case "booted":
      return power.awake ? "booted" : "asleep";
    case "switching":
      return `switching to ${power.to}`;
    case "failed":
      return `failed: ${power.error.words}`;
    default:
      return power.is;
  }
}
