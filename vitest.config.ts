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
    pool: "forks",
    maxWorkers: 2,
    testTimeout: soak ? 15 * 60_000 : 30_000,
    hookTimeout: 60_000,
    reporters: process.env.CI === "true" ? ["default"] : ["default"],
    passWithNoTests: false,
  },
});
