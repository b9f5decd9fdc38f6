/** Why a box could not be reached, in words; `not-installed`: it has no device server yet, so one may be brought. */
export class BoxError extends Error {
  readonly why: "not-installed" | "no-node" | "unreachable";
  constructor(why: BoxError["why"], words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = "BoxError";
    this.why = why;
  }
}
