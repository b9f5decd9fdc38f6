/**
 * Node's options for a device server. Its heap holds about 10 MiB; with no limit V8 lets four times as much garbage pile up before it
 * looks, and each viewer that comes and goes adds to it. Under this one it looks at about 22 MiB: fifty viewers take 125 MiB in all,
 * flat, where they climbed to 145. Buffers are not counted. The same words stand in the systemd unit and the launchd agent.
 */
export const SERVER_NODE_ARGS = ["--max-old-space-size=512"] as const;
