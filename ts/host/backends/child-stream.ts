/** A child's standard input and output as one stream, which ends as the child did: in order, or with its error. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Duplex } from "node:stream";

export class ChildStream extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams;

  /** `failure`: why a child that did not end with 0 ended, once everything it said is here. */
  constructor(child: ChildProcessWithoutNullStreams, failure: (code: number | null) => Error) {
    super({ allowHalfOpen: true });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause();
    });
    child.stdout.on("error", () => {});
    child.stdin.on("error", () => {});
    child.once("close", (code) => {
      if (code === 0) this.push(null);
      else this.destroy(failure(code));
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // What a child that is gone did not take is lost with it; its end says so.
    if (this.#child.stdin.destroyed || this.#child.stdin.write(chunk)) done();
    else {
      const once = () => {
        this.#child.stdin.removeListener("drain", once);
        this.#child.stdin.removeListener("close", once);
        done();
      };
      this.#child.stdin.once("drain", once);
      this.#child.stdin.once("close", once);
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#child.stdin.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#child.kill();
    done(error);
  }
}
