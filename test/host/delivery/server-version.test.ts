import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEVICE_SERVER_VERSION } from "#core/version.ts";
import { ROOT } from "../../support/product.ts";

interface Record {
  readonly version: number;
  readonly hash: string;
}
const setup = (await import("../../../setup/server-version.mjs" as string)) as {
  serverHash(root: string, options?: { extra?: { [path: string]: string } }): Promise<string>;
  serverVersion(root: string): number;
  serverRecord(root: string): Record;
  versionProblem(found: { record: Record; version: number; hash: string }): string | null;
};

it("DEVICE_SERVER_VERSION belongs to the device server's files as they are", async () => {
  const version = setup.serverVersion(ROOT);
  expect(version).toBe(DEVICE_SERVER_VERSION);
  expect(setup.versionProblem({ record: setup.serverRecord(ROOT), version, hash: await setup.serverHash(ROOT) })).toBeNull();
});

it("a file of the server that changes is found, one of the host or the number itself is not", async () => {
  const hash = await setup.serverHash(ROOT);
  const changed = (file: string, change: (text: string) => string) => {
    const path = join(ROOT, file);
    return setup.serverHash(ROOT, { extra: { [path]: change(readFileSync(path, "utf8")) } });
  };
  const more = (text: string) => `${text}\nglobalThis.changed = true;\n`;
  expect(await changed("ts/server/machine.ts", more)).not.toBe(hash);
  expect(await changed("ts/drivers/phone/driver.ts", more)).not.toBe(hash);
  expect(await changed("ts/connect/connect.ts", more)).not.toBe(hash);
  expect(await changed("ts/host/panel-server.ts", more)).toBe(hash);
  expect(await changed("ts/core/version.ts", (text) => text.replace(/VERSION = \d+/, "VERSION = 999"))).toBe(hash);
  expect(setup.versionProblem({ record: { version: 7, hash: "old" }, version: 7, hash: "new" })).toMatch(
    /still 7, so no box would get them/,
  );
  expect(setup.versionProblem({ record: { version: 7, hash: "x" }, version: 8, hash: "x" })).toMatch(/says 7/);
});
