import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HomeFiles, systemFiles, type FileCalls } from "#server/files.ts";
import { systemClock } from "#server/ports.ts";
import { startDeviceServer, type DeviceServer } from "#server/server.ts";
import { GivenUpError, Starts } from "#server/starts.ts";
import { FakeBox } from "./fake-driver.ts";
import { bench, ManualClock, settled, takeLock } from "./support.ts";

let base = "";
let home = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "bbf-"));
  home = join(base, "device");
  mkdirSync(home, { mode: 0o700 });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const log: string[] = [];
async function start(box: FakeBox, files: FileCalls = systemFiles): Promise<DeviceServer> {
  log.length = 0;
  const server = await startDeviceServer({
    home,
    driver: box.factory,
    lock: takeLock,
    clock: systemClock,
    files,
    log: (_level, message) => log.push(message),
  });
  await box.until((told) => told.some((t) => t.what === "touch"));
  await settled();
  return server;
}

/** The files of a home that has been used, by name. */
async function used(): Promise<Map<string, string>> {
  const box = new FakeBox();
  const server = await start(box);
  await server.close();
  writeFileSync(join(home, "clipboard.json"), JSON.stringify({ "Test device": "what the person had copied" }));
  writeFileSync(join(home, "held-keys.json"), JSON.stringify(["Shift", "a"]));
  const names = ["owner.json", "intent.json", "state.json", "clipboard.json", "held-keys.json", "booted-here.json", "begun.log"];
  return new Map(names.map((name) => [name, readFileSync(join(home, name), "utf8")]));
}

describe("the files of a home", () => {
  it("are each private", async () => {
    await used();
    const server = await start(new FakeBox());
    await server.close();
    for (const name of readdirSync(home)) {
      const found = statSync(join(home, name));
      if (found.isFile() && name !== "lock") expect([name, found.mode & 0o077]).toEqual([name, 0]);
    }
  });

  it.each(["owner.json", "intent.json", "clipboard.json", "held-keys.json", "booted-here.json"])(
    "%s may be cut at any byte: the server starts, boots the device and lifts everything",
    async (name) => {
      const files = await used();
      const whole = files.get(name) ?? "";
      for (let cut = 0; cut < whole.length; cut++) {
        for (const [other, text] of files) writeFileSync(join(home, other), text);
        writeFileSync(join(home, name), whole.slice(0, cut));
        const box = new FakeBox();
        const server = await start(box);
        expect(box.running).toEqual(["Test device"]);
        await server.close();
        if (cut < whole.trimEnd().length) expect(log.some((line) => line.startsWith(`${name} is not whole`))).toBe(true);
      }
    },
    60_000,
  );

  it("state.json may be cut at any byte, and no geometry number from before is used again", async () => {
    const files = await used();
    const whole = files.get("state.json") ?? "";
    const before = (JSON.parse(whole) as { generation: number }).generation;
    for (let cut = 0; cut < whole.length; cut += 7) {
      writeFileSync(join(home, "state.json"), whole.slice(0, cut));
      const server = await start(new FakeBox());
      await server.close();
      expect((JSON.parse(readFileSync(join(home, "state.json"), "utf8")) as { generation: number }).generation).toBeGreaterThan(before);
    }
  }, 60_000);

  it("an owner file that is lost gives no number out again", async () => {
    const files = await used();
    const before = (JSON.parse(files.get("owner.json") ?? "") as { generation: number }).generation;
    writeFileSync(join(home, "owner.json"), "{");
    const server = await start(new FakeBox());
    await server.close();
    expect((JSON.parse(readFileSync(join(home, "owner.json"), "utf8")) as { generation: number }).generation).toBeGreaterThan(before);
    expect(readFileSync(join(home, "owner.json.broken"), "utf8")).toBe("{");
  });

  it("survive a crash before and after every rename: each is the old or the new one, whole", async () => {
    await used();
    const crash = new Error("killed");
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 12; nth++) {
        let left = nth;
        let dead = false;
        const files: FileCalls = {
          ...systemFiles,
          write(path, text, lasting) {
            if (dead) throw crash;
            systemFiles.write(path, text, lasting);
          },
          rename(from, to) {
            if (dead) throw crash;
            const now = --left === 0;
            if (now) dead = true;
            if (now && when === "before") throw crash;
            systemFiles.rename(from, to);
            if (now) throw crash;
          },
        };
        const server = await start(new FakeBox(), files);
        await server.close();
        for (const name of readdirSync(home).filter((n) => n.endsWith(".json")))
          expect(() => JSON.parse(readFileSync(join(home, name), "utf8")) as unknown).not.toThrow();
        const again = await start(new FakeBox());
        await again.close();
      }
    }
  }, 60_000);

  it("a full disk stops neither the server nor a switch, and the log says which file could not be written", async () => {
    const box = new FakeBox();
    let full = false;
    const files: FileCalls = {
      ...systemFiles,
      write(path, text, lasting) {
        if (full) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        systemFiles.write(path, text, lasting);
      },
      append(path, text) {
        if (full) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        systemFiles.append(path, text);
      },
    };
    const made = await bench({ box, files });
    full = true;
    const { client } = await made.control();
    const owner = client.hello.owner.generation + 1;
    await client.request({ type: "owner", generation: owner, holder: "agent" });
    box.geometry = { physical: "upright", content: "upright", video: { width: 2208, height: 1840 }, screen: "inner" };
    const { state } = await client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner });
    expect(state.model).toBe("Test foldable");
    // Without the saved clipboard on the disk a crash would lose it, so nothing is pasted, and the agent is told why.
    await expect(client.request({ type: "input", input: { type: "text", text: "日本" }, owner })).rejects.toThrow(/no space left/);
    expect(box.clipboardText).toBe("the device's own");
    expect(made.log.some(({ message }) => /owner\.json cannot be written: ENOSPC.*Make room/.test(message))).toBe(true);
    full = false;
    await made.close();
  });

  it("a disk that is full from the start is said, and the device is served all the same", async () => {
    const files: FileCalls = {
      ...systemFiles,
      write() {
        throw new Error("ENOSPC: no space left on device");
      },
      append() {
        throw new Error("ENOSPC: no space left on device");
      },
    };
    const made = await bench({ files });
    const { client } = await made.connect("viewer");
    expect((await client.request({ type: "tree" })).ok).toBe(true);
    await made.close();
  });

  it("a folder that another process made is used, and made private", async () => {
    mkdirSync(join(home, "run"), { mode: 0o755, recursive: true });
    const server = await start(new FakeBox());
    expect(statSync(join(home, "run")).mode & 0o777).toBe(0o700);
    await server.close();
  });
});

describe("counted starts", () => {
  const files = (): HomeFiles => new HomeFiles(home, systemFiles, () => undefined);
  it("give up at the eleventh within a minute, in words that connect reads, and begin anew after that", () => {
    const clock = new ManualClock();
    for (let i = 0; i < 10; i++) {
      new Starts(files(), clock, () => undefined);
      clock.sleep(1000);
    }
    expect(() => new Starts(files(), clock, () => undefined)).toThrow(GivenUpError);
    expect(JSON.parse(readFileSync(join(home, "given-up.json"), "utf8"))).toEqual({
      words: "The device server crashed 10 times within a minute, so it has given up.",
    });
    expect(() => new Starts(files(), clock, () => undefined)).not.toThrow();
    expect(readdirSync(home).map((path) => basename(path))).not.toContain("given-up.json");
  });
  it("do not count one that ended well, or one of more than a minute ago", () => {
    const clock = new ManualClock();
    for (let i = 0; i < 30; i++) new Starts(files(), clock, () => undefined).endedWell();
    for (let i = 0; i < 30; i++) {
      new Starts(files(), clock, () => undefined);
      clock.sleep(7000);
    }
  });
});
