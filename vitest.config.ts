import { defineConfig } from "vitest/config";

const soak = process.env.BB_SOAK === "1";
const landing = process.env.BB_LANDING === "1";

/**
 * Three kinds of files: `*.test.ts` are the claims; `*.browser.test.ts` among them drive Chromium; `*.soak.ts` run for
 * minutes and only with `npm run test:soak`. Real processes and real sockets: two files at a time, each in its own fork.
 */
export default defineConfig({
  test: {
    include: soak ? ["test/**/*.soak.ts"] : ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(landing ? [] : ["test/landing/**"])],
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // The end of a test that hangs, never a claim: what is to be fast says so itself.
    testTimeout: soak ? 15 * 60_000 : 60_000,
    hookTimeout: 60_000,
    // A poll ends when its claim holds; on a loaded machine one look alone, a command in a process of its own, takes most of a second.
    expect: { poll: { timeout: 10_000 } },
    passWithNoTests: false,
  },
});
