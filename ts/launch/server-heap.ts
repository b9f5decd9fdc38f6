/**
 * Node's options for a device server. Its heap holds about 10 MiB; with no limit V8 lets four times as much garbage pile up before it
 * looks, and gives what is new ever more room: fifty viewers that come and go took it from 105 to 145 MiB in a minute. Under these it
 * looks at about 22 MiB, and its memory is flat. Buffers are not counted. The same words stand in the systemd unit and the launchd agent.
 */
export const SERVER_NODE_ARGS = ["--max-old-space-size=512", "--max-semi-space-size=8"] as const;
