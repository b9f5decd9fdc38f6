/**
 * A reporter of vitest's own kind: each test that failed, its error's words, and what was printed in it, in a file for the end
 * of `npm test`. vitest's JSON report is no help there: of a test that hung it repeats a placeholder.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** How much of an error, and of what was printed last, is repeated. */
const WORDS = 400;
const SAID = 4_000;

export default class FailuresReporter {
  #said = new Map();

  onUserConsoleLog({ taskId = "", content }) {
    this.#said.set(taskId, `${this.#said.get(taskId) ?? ""}${content}`.slice(-SAID));
  }

  onTestRunEnd(modules, unhandled) {
    const failures = [
      ...unhandled.map((error) => `outside of any test: ${first(error)}`),
      ...modules.flatMap((module) => [
        ...outsideOfTests(module),
        ...[...module.children.allTests("failed")].map((test) => {
          const { errors = [] } = test.result();
          const said = this.#said.get(test.id) ?? "";
          return `${pathOf(module)} › ${test.fullName}: ${errors.map(first).join("\n")}\n${plain(said)}`.trim();
        }),
      ]),
    ];
    const file = process.env.BB_FAILURES;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(failures));
  }
}

/** A file that could not be read, a hook of a suite. */
function outsideOfTests(module) {
  return [module, ...module.children.allSuites()].flatMap((part) =>
    part.errors().map((error) => `${pathOf(module)}${part === module ? "" : ` › ${part.fullName}`}: ${first(error)}`),
  );
}

const pathOf = (module) => relative(process.cwd(), module.moduleId);
const first = (error) => plain(error.message ?? String(error)).slice(0, WORDS);
const plain = (text) => stripVTControlCharacters(text);
