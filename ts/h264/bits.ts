/** Bytes that are not the H.264 they should be. */
export class H264Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = "H264Error";
  }
}

/** Reads bits and Exp-Golomb codes (ITU-T H.264, 9.1). Every read past the end throws H264Error. */
export class BitReader {
  readonly #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** Up to 32 bits, as an unsigned number. */
  bits(count: number): number {
    if (this.#at + count > this.#data.length * 8) throw new H264Error("the unit ends early");
    let value = 0;
    for (let left = count; left > 0;) {
      const offset = this.#at & 7;
      const take = Math.min(8 - offset, left);
      const byte = this.#data[this.#at >> 3] ?? 0;
      value = value * 2 ** take + ((byte >> (8 - offset - take)) & (2 ** take - 1));
      this.#at += take;
      left -= take;
    }
    return value;
  }

  /** ue(v). Throws H264Error when it is over `most`. */
  ue(most = 0xffff_fffe): number {
    let zeros = 0;
    while (!this.flag()) {
      zeros += 1;
      if (zeros > 31) throw new H264Error("a code is too long");
    }
    const value = 2 ** zeros - 1 + this.bits(zeros);
    if (value > most) throw new H264Error(`${value} is over ${most}`);
    return value;
  }

  /** se(v). */
  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
