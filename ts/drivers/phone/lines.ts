/** Cuts a stream of text into lines, with an end to how long one may grow. */
export class Lines {
  readonly #line: (line: string) => void;
  readonly #longest: number;
  #parts: string[] = [];
  #length = 0;

  /** `longest` in UTF-16 units. */
  constructor(longest: number, line: (line: string) => void) {
    this.#longest = longest;
    this.#line = line;
  }

  /** Hands over each line that is whole. False: a line is longer than it may be, and nothing more can be read. */
  add(text: string): boolean {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#parts.push(text.slice(from, end));
      const line = this.#parts.join("");
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      if (line.length > this.#longest) return false;
      if (line !== "") this.#line(line);
    }
    this.#parts.push(text.slice(from));
    this.#length += text.length - from;
    return this.#length <= this.#longest;
  }
}
