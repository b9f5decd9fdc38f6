import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseBoxes, readBoxes } from "#host/boxes-file.ts";
import { temporaryFolder } from "../support/temp.ts";
import { ManualClock } from "./rig.ts";

const LOCAL = { id: "here", kind: "local" };
const SSH = { id: "far", kind: "ssh", host: "me@far.example" };

describe("boxes.json", () => {
  it("takes local boxes and ones behind ssh, with names of their own", () => {
    expect(
      parseBoxes({
        boxes: [
          LOCAL,
          { ...SSH, name: "The far one", port: 2222, identity: "/k", options: ["StrictHostKeyChecking=yes"], node: "/n", home: ".bb" },
        ],
      }),
    ).toEqual([
      { kind: "local", id: "here", name: "here", deviceHome: null },
      {
        kind: "ssh",
        id: "far",
        name: "The far one",
        ssh: { host: "me@far.example", port: 2222, identity: "/k", options: ["StrictHostKeyChecking=yes"], node: "/n", home: ".bb" },
      },
    ]);
  });

  it.each([
    [{}, /holds \{"boxes"/],
    [[], /holds \{"boxes"/],
    [{ boxes: [] }, /at least one/],
    [{ boxes: [1] }, /boxes\[0\]: A box is an object/],
    [{ boxes: [LOCAL, LOCAL] }, /boxes\[1\]: the id "here" is there twice/],
    [{ boxes: [{ ...LOCAL, id: "../x" }] }, /Its id/],
    [{ boxes: [{ ...LOCAL, kind: "cloud" }] }, /"local" or "ssh"/],
    [{ boxes: [{ ...LOCAL, host: "x" }] }, /a field "host"/],
    [{ boxes: [{ ...LOCAL, deviceHome: "x" }] }, /absolute/],
    [{ boxes: [{ ...SSH, host: "-oProxyCommand=evil" }] }, /Its host/],
    [{ boxes: [{ ...SSH, host: "a b" }] }, /Its host/],
    [{ boxes: [{ ...SSH, port: 0 }] }, /Its port/],
    [{ boxes: [{ ...SSH, identity: "key" }] }, /Its identity/],
    [{ boxes: [{ ...SSH, options: ["-v"] }] }, /Its options/],
    [{ boxes: [{ ...SSH, name: "" }] }, /Its name/],
    [{ boxes: Array.from({ length: 101 }, (_, index) => ({ ...LOCAL, id: `b${index}` })) }, /100 is the most/],
  ])("%j is refused in words", (value, words) => {
    expect(parseBoxes(value)).toMatch(words);
  });

  it("is not needed: without it there is this machine", () => {
    const home = temporaryFolder();
    const [only, ...more] = readBoxes({ home, deviceHome: join(home, "device"), clock: new ManualClock() });
    expect(more).toEqual([]);
    expect(only).toMatchObject({ id: "local", name: "This machine", backend: { kind: "local" } });
  });

  it("that is no JSON, or no list, names its own path", () => {
    const home = temporaryFolder();
    const read = () => readBoxes({ home, deviceHome: home, clock: new ManualClock() });
    writeFileSync(join(home, "boxes.json"), "{");
    expect(read).toThrow(`${join(home, "boxes.json")} is not JSON`);
    writeFileSync(join(home, "boxes.json"), "{}");
    expect(read).toThrow(`${join(home, "boxes.json")}: It holds`);
  });
});
