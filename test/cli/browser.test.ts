import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasScreen, openLink } from "#cli/browser.ts";
import { temporaryFolder } from "../support/temp.ts";

const URL_WITH_TOKEN = "http://127.0.0.1:4710/#token=SECRET-TOKEN";

it("the browser is given a file that only its user can read, so that the token is on no command line", async () => {
  const home = temporaryFolder();
  const launched: string[][] = [];
  const opened = await openLink(URL_WITH_TOKEN, home, {
    platform: "linux",
    env: { DISPLAY: ":0" },
    launch: (command, args) => {
      launched.push([command, ...args]);
      return Promise.resolve(true);
    },
  });
  expect(opened).toBe(true);
  expect(launched.flat().join(" ")).not.toContain("SECRET");
  const file = fileURLToPath(launched[0]?.[1] ?? "");
  expect(file).toBe(join(home, "open.html"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(`url=${URL_WITH_TOKEN}"`);
});

it("a browser that is not there leaves no file behind", async () => {
  const home = temporaryFolder();
  expect(
    await openLink(URL_WITH_TOKEN, home, { platform: "linux", env: { WAYLAND_DISPLAY: "w" }, launch: () => Promise.resolve(false) }),
  ).toBe(false);
  expect(() => statSync(join(home, "open.html"))).toThrow("ENOENT");
});

it("there is a screen where a display is, and none over ssh or in CI", () => {
  expect(hasScreen({ platform: "linux", env: { DISPLAY: ":0" } })).toBe(true);
  expect(hasScreen({ platform: "linux", env: {} })).toBe(false);
  expect(hasScreen({ platform: "darwin", env: {} })).toBe(true);
  expect(hasScreen({ platform: "darwin", env: { SSH_CONNECTION: "x" } })).toBe(false);
  expect(hasScreen({ platform: "linux", env: { DISPLAY: ":0", CI: "true" } })).toBe(false);
});
