import { describe, expect, it } from "vitest";
import { readCommandLine } from "#cli/args.ts";
import { controlRequest } from "#cli/control-words.ts";
import { commandHelp, help } from "#cli/help.ts";
import { COMMANDS, type CommandSpec, EXIT_WORDS } from "#cli/table.ts";
import { parseControlMessage } from "#wire/device.ts";

function run(...args: string[]) {
  const line = readCommandLine(args);
  if (line.is !== "run") throw new Error(JSON.stringify(line));
  return line.parsed;
}

describe("help", () => {
  it.each(COMMANDS.map((spec: CommandSpec) => [spec.name, spec] as const))(
    "of %s names every option and every place, and no option is undocumented",
    (_name, spec) => {
      const text = commandHelp(spec);
      for (const [option, { words, value }] of Object.entries(spec.options)) {
        expect(words.length).toBeGreaterThan(10);
        expect(text).toContain(`--${option}${value === undefined ? "" : ` ${value}`}`);
        expect(text).toContain(words);
      }
      for (const place of spec.positionals) expect(text).toContain(place);
      expect(spec.needed).toBeLessThanOrEqual(spec.positionals.length);
    },
  );

  it("lists every command and every exit code", () => {
    const text = help();
    for (const { name, words } of COMMANDS) {
      expect(text).toContain(`\n  ${name}`);
      expect(text).toContain(words);
    }
    for (const [code, words] of EXIT_WORDS) expect(text).toMatch(new RegExp(`  ${code} +${words}`));
    expect(new Set(EXIT_WORDS.map(([code]) => code)).size).toBe(EXIT_WORDS.length);
  });

  it.each([[[]], [["--help"]], [["-h"]], [["help"]]])("%j shows it", (args) => {
    expect(readCommandLine(args)).toEqual({ is: "help", command: null });
  });

  it("is shown for one command, also behind other words", () => {
    expect(readCommandLine(["tap", "1", "--help"])).toMatchObject({ is: "help", command: { name: "tap" } });
    expect(readCommandLine(["help", "swipe"])).toMatchObject({ is: "help", command: { name: "swipe" } });
  });
});

describe("the command line", () => {
  it("is read by the table", () => {
    const parsed = run("start", "--home", "/x", "--port", "0", "--json", "--model", "Test foldable", "--no-open");
    expect(parsed.options).toEqual(
      new Map([
        ["home", "/x"],
        ["port", "0"],
        ["model", "Test foldable"],
      ]),
    );
    expect(parsed.flags).toEqual(new Set(["json", "no-open"]));
  });
  it("takes negative numbers as values", () => {
    expect(run("control", "location", "-33.9", "-70.6").positionals).toEqual(["location", "-33.9", "-70.6"]);
    expect(run("tap", "-1", "5").positionals).toEqual(["-1", "5"]);
  });
  it("takes text that begins with dashes after --", () => {
    expect(run("text", "--", "--help me").positionals).toEqual(["--help me"]);
  });
  it.each([
    [["strat"], /no command "strat"/],
    [["tap", "1"], /tap needs X Y/],
    [["tap", "1", "2", "3"], /tap does not take "3"/],
    [["status", "--nonsense"], /Unknown option '--nonsense'\.$/],
    [["start", "--home"], /--home/],
    [["start", "--json=yes"], /--json/],
  ])("%j is refused in words", (args, words) => {
    const line = readCommandLine(args);
    expect(line.is).toBe("wrong");
    expect(line.is === "wrong" ? line.words : "").toMatch(words);
  });
});

describe("control", () => {
  const ask = (action: string, ...values: string[]) => controlRequest({ action, values, to: undefined, turn: undefined });

  it.each([
    [["home"], { action: "home" }],
    [["rotate", "left"], { action: "rotate", turn: "left" }],
    [["rotate", "turned-right"], { action: "rotate", to: "turned-right" }],
    [["posture", "half-open"], { action: "posture", to: "half-open" }],
    [["text_size", "1.15"], { action: "text_size", to: 1.15 }],
    [["text-size", "larger"], { action: "text_size", to: "larger" }],
    [["location", "59.9", "10.7"], { action: "location", to: { latitude: 59.9, longitude: 10.7 } }],
    [["location", "59.9,10.7"], { action: "location", to: { latitude: 59.9, longitude: 10.7 } }],
    [["location", "off"], { action: "location", to: null }],
    [["battery", "40", "charging"], { action: "battery", to: { level: 40, charging: true } }],
    [["battery", "off"], { action: "battery", to: null }],
    [["network", "slow"], { action: "network", to: "slow" }],
    [["switch", "Pixel", "Fold"], { action: "switch", device: "Pixel Fold" }],
    [["install", "/a.apk", "/b.apk"], { action: "install", paths: ["/a.apk", "/b.apk"] }],
  ])("%j is a control that the wire takes", ([action = "", ...values], control) => {
    const request = ask(action, ...values);
    expect(request).toEqual({ type: "control", control });
    const parsed = parseControlMessage(`BB_DEVICE ${JSON.stringify({ id: "1", owner: 1, ...(request as object) })}`);
    expect(parsed).toMatchObject({ kind: "request", request: { control } });
  });

  it("--turn and --to stand for the value", () => {
    expect(controlRequest({ action: "rotate", values: [], to: undefined, turn: "left" })).toEqual({
      type: "control",
      control: { action: "rotate", turn: "left" },
    });
    expect(controlRequest({ action: "appearance", values: [], to: "dark", turn: undefined })).toEqual({
      type: "control",
      control: { action: "appearance", to: "dark" },
    });
  });

  it.each([
    [["rotate", "sideways"], "rotate takes left, right, upright, turned-left, upside-down or turned-right, not sideways."],
    [["rotate", "left", "now"], "rotate takes left, right, upright, turned-left, upside-down or turned-right, not left now."],
    [["appearance", "blue"], "appearance takes light or dark, not blue."],
    [["status-bar"], "status_bar takes clean or live."],
    [["network", "5g"], "network takes online, offline or slow, not 5g."],
    [["location", "99", "10"], "A latitude is from -90 to 90 degrees, not 99."],
    [["location", "9", "-190"], "A longitude is from -180 to 180 degrees, not -190."],
  ])("%j is refused with what the control takes", ([action = "", ...values], words) => {
    expect(ask(action, ...values)).toBe(words);
  });

  it("open is a request of its own", () => {
    expect(ask("open", "https://example.com")).toEqual({ type: "open", url: "https://example.com" });
  });

  it.each([
    ["home", "now"],
    ["rotate"],
    ["posture"],
    ["location", "59"],
    ["location", "north", "east"],
    ["battery", "half"],
    ["battery", "40", "full"],
    ["switch"],
    ["install"],
    ["nonsense"],
    ["battery", "101"],
  ])("%s %s is refused in words", (action, ...values) => {
    expect(ask(action, ...values.filter((value) => value !== undefined))).toMatch(/[a-z].*\.$/);
  });
});
