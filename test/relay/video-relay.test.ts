import { expect, it } from "vitest";
import { LatencyWindow } from "#relay/latency.ts";
import { VideoRelay } from "#relay/video-relay.ts";
import { decodeVideoHeader, encodeVideoHeader } from "#wire/frame.ts";
import { ManualTimers } from "../launch/manual-timers.ts";

function message(id: number, key: boolean, bytes = 50): Uint8Array {
  const whole = new Uint8Array(10 + bytes);
  whole.set(encodeVideoHeader({ id, key, width: 1080, generation: 3 }));
  return whole;
}

function relay() {
  const clock = new ManualTimers();
  const log: string[] = [];
  const source = {
    requestKey: () => void log.push("key"),
    watched: (on: boolean) => void log.push(on ? "on" : "off"),
    ack: (id: number) => void log.push(`ack ${id}`),
  };
  const video = new VideoRelay(source, clock);
  const watch = () => {
    const got: number[] = [];
    let buffered = 0;
    const seat = video.join({
      send: (m) => got.push(decodeVideoHeader(m)?.id ?? -1),
      bufferedBytes: () => buffered,
    });
    return { seat, got, buffer: (bytes: number) => (buffered = bytes) };
  };
  return { clock, log, video, watch };
}

it("leaves it to the source to begin with a key unit at a join, asks when none comes, and acknowledges what arrived by the source's own id", async () => {
  const { clock, log, video, watch } = relay();
  const { seat, got } = watch();
  seat.resume();
  expect(log).toEqual(["on"]);
  await clock.move(1_000);
  expect(log).toEqual(["on", "key"]);
  video.push(message(65_535, true));
  video.push(message(0, false));
  expect(log.slice(2)).toEqual(["ack 65535", "ack 0"]);
  expect(got).toEqual([0, 1]);
});

it("a viewer's ids go on when the source starts its own anew", () => {
  const { video, watch } = relay();
  const { seat, got } = watch();
  seat.resume();
  video.push(message(500, true));
  video.reset();
  video.push(message(0, true));
  expect(got).toEqual([0, 1]);
});

it("one slow viewer waits for a key unit; the other gets every unit", async () => {
  const { clock, video, watch } = relay();
  const slow = watch();
  const quick = watch();
  slow.seat.resume();
  quick.seat.resume();
  video.push(message(0, true));
  slow.seat.ack(0);
  quick.seat.ack(0);
  for (let id = 1; id <= 30; id++) {
    await clock.move(30);
    video.push(message(id, false));
    quick.seat.ack(id);
  }
  expect(quick.got).toHaveLength(31);
  expect(slow.got.length).toBeLessThanOrEqual(9);
  slow.seat.ack(slow.got.at(-1) ?? 0);
  video.push(message(31, true));
  expect(slow.got.at(-1)).toBe(31);
});

it("with nobody watching the source is told to rest", () => {
  const { log, watch } = relay();
  const one = watch();
  const two = watch();
  one.seat.resume();
  two.seat.resume();
  one.seat.pause();
  expect(log).not.toContain("off");
  two.seat.leave();
  expect(log.at(-1)).toBe("off");
});

it("what is no video message is told apart", () => {
  const { video } = relay();
  expect(video.push(new Uint8Array([0x03, 0, 0]))).toBe(false);
});

it("latency is the median and the 95th percentile of five seconds, and none on a still screen", () => {
  const window = new LatencyWindow();
  expect(window.read(0)).toBeNull();
  for (let i = 1; i <= 100; i++) window.add(i, i);
  expect(window.read(100)).toEqual({ medianMs: 50, p95Ms: 95 });
  window.add(5_000, 7.04);
  expect(window.read(5_101)).toEqual({ medianMs: 7, p95Ms: 7 });
  expect(window.read(10_001)).toBeNull();
});

it("a viewer's latency is from sending to drawing", async () => {
  const { clock, video, watch } = relay();
  const { seat } = watch();
  seat.resume();
  video.push(message(0, true));
  await clock.move(25);
  seat.ack(0);
  expect(seat.latency()).toEqual({ medianMs: 25, p95Ms: 25 });
});

it("the source hears what a viewer drew, from the quickest of them; before anyone tells, what arrived", () => {
  const { log, video, watch } = relay();
  const quick = watch();
  const slow = watch();
  quick.seat.resume();
  slow.seat.resume();
  const acks = () => log.filter((line) => line.startsWith("ack"));
  video.push(message(100, true));
  expect(acks()).toEqual(["ack 100"]);
  quick.seat.ack(0);
  slow.seat.ack(0);
  video.push(message(101, false));
  video.push(message(102, false));
  expect(acks()).toEqual(["ack 100"]);
  quick.seat.ack(1);
  slow.seat.ack(1);
  quick.seat.ack(2);
  expect(acks()).toEqual(["ack 100", "ack 101", "ack 102"]);
});

it("a viewer that was waited for and leaves or is hidden holds nothing up", () => {
  const { log, video, watch } = relay();
  const one = watch();
  const two = watch();
  one.seat.resume();
  video.push(message(7, true));
  one.seat.ack(0);
  video.push(message(8, false));
  one.seat.pause();
  expect(log).toContain("ack 8");
  two.seat.resume();
  video.push(message(9, true));
  two.seat.ack(2);
  video.push(message(10, false));
  expect(log).not.toContain("ack 10");
  two.seat.leave();
  expect(log).toContain("ack 10");
});

it("ids that wrap are acknowledged in order", () => {
  const { log, video, watch } = relay();
  const { seat } = watch();
  seat.resume();
  for (let id = 65_530; id < 65_530 + 12; id++) {
    video.push(message(id % 65_536, id === 65_530));
    seat.ack(id - 65_530);
  }
  expect(log.filter((line) => line.startsWith("ack")).at(-1)).toBe("ack 5");
});
