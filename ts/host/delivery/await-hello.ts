/** Waits for a version's HELLO on the box's own lease. */
import type { Hello } from "#wire/device.ts";
import type { BoxLease } from "#host/lease.ts";
import type { Clock } from "#host/ports.ts";
import { wordsOf } from "#host/words.ts";
import { pause } from "#launch/timers.ts";

const AGAIN_MS = 200;

/** The old server may still answer for a moment. Rejects in words with what came last. */
export async function awaitHello(lease: BoxLease, clock: Clock, version: number, withinMs: number): Promise<Hello> {
  const until = clock.now() + withinMs;
  for (;;) {
    let words: string;
    try {
      const { hello } = await lease.ready(Math.max(1, until - clock.now()));
      if (hello.version === version) return hello;
      words = `version ${hello.version} answers`;
      lease.drop();
    } catch (error) {
      words = wordsOf(error);
    }
    if (clock.now() + AGAIN_MS >= until) throw new Error(words);
    await pause(clock, AGAIN_MS);
  }
}
