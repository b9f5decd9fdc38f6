import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEVICE_MODELS, TEST_MODELS } from "#core/device-models.ts";
import {
  type Answer,
  type ControlRequest,
  type Hello,
  type InputRequest,
  formatAnswer,
  formatHello,
  formatOwner,
  formatRequest,
  formatState,
  formatStill,
  formatSuperseded,
  formatTouch,
  parseControlMessage,
  parseInputMessage,
  parseViewerMessage,
} from "#wire/device.ts";
import { parsePanelMessage, formatControl, formatLatency } from "#wire/panel.ts";
import { parseServerMessage } from "#wire/server-messages.ts";
import { CONTROLS, FLAT, FOLD, IOS, STATES } from "./samples.ts";

const HELLO: Hello = {
  protocol: { min: 1, max: 1 },
  version: 1,
  host: { os: "linux", cpu: "x64", libc: "glibc 2.36", node: "20.19.0" },
  platform: "android",
  devices: [
    { model: "Test device", native: "Test device", runtime: { platform: "test", version: "1" } },
    {
      model: "Pixel 8",
      native: "pixel_8",
      runtime: {
        platform: "android",
        api: 35,
        image: "google_apis",
        revision: 9,
        abi: "x86_64",
        emulator: "37.2.12.0",
        snapshot: { emulator: "37.2.12.0", cpu: "Xeon", made: "2026-10-26" },
      },
    },
    {
      model: "iPhone 18 Pro",
      native: "com.apple.iPhone-18-Pro",
      runtime: { platform: "ios", os: "27.0", build: "24A434", xcode: "27A266a", companion: "1.7.7" },
    },
  ],
  models: [...DEVICE_MODELS, ...TEST_MODELS],
  state: FLAT,
  lease: { held: true, since: 12 },
  owner: { generation: 4, holder: "person" },
  encoder: { name: "x264", version: "164" },
  bootedHere: ["Pixel 8"],
  warning: null,
};

const INPUT_REQUESTS: readonly InputRequest[] = [
  { type: "touch", contacts: [{ id: 0, x: 1.5, y: 2 }], generation: 3 },
  { type: "touch", contacts: [], generation: 3 },
  { id: "a", type: "text", text: "日本語" },
  { id: "a", type: "paste", text: "" },
  { id: "a", type: "open", url: "https://example.com" },
  ...CONTROLS.filter((control) => control.action !== "install").map((control) => ({ id: "a", type: "control", control }) as const),
];
const CONTROL_REQUESTS: readonly ControlRequest[] = [
  ...CONTROLS.map((control) => ({ id: "a", type: "control", control, owner: 3 }) as const),
  { id: "a", type: "input", owner: 3, input: { type: "tap", at: { x: 1, y: 2, generation: 3 } } },
  { id: "a", type: "input", owner: 3, input: { type: "long_press", at: { x: 1, y: 2, generation: 3 }, ms: 1200 } },
  {
    id: "a",
    type: "input",
    owner: 3,
    input: { type: "swipe", from: { x: 1, y: 2, generation: 3 }, to: { x: 1, y: 9, generation: 3 }, ms: 200 },
  },
  { id: "a", type: "input", owner: 3, input: { type: "pinch", centre: { x: 1, y: 2, generation: 3 }, from: 100, to: 200, ms: 200 } },
  { id: "a", type: "input", owner: 3, input: { type: "key", key: "a", modifiers: ["control", "shift"] } },
  { id: "a", type: "input", owner: 3, input: { type: "text", text: "é" } },
  { id: "a", type: "open", url: "https://example.com", owner: 3 },
  { id: "a", type: "owner", generation: 9, holder: "agent" },
  { id: "a", type: "record", to: "start" },
  { id: "a", type: "screenshot" },
  { id: "a", type: "screenshot", longestEdge: 1568 },
  { id: "a", type: "tree" },
  { id: "a", type: "settle", quietMs: 300, maxMs: 2000 },
  { id: "a", type: "result" },
];

describe("requests", () => {
  it.each(INPUT_REQUESTS)("of the input connection are read as they were formatted: %j", (request) => {
    expect(parseInputMessage(formatRequest(request))).toEqual({ kind: "request", request });
  });

  it.each(CONTROL_REQUESTS)("of the control connection are read as they were formatted: %j", (request) => {
    expect(parseControlMessage(formatRequest(request))).toEqual({ kind: "request", request });
  });

  it("that only read are taken from a viewer, and nothing else is", () => {
    expect(parseViewerMessage('BB_DEVICE {"id":"a","type":"tree"}').kind).toBe("request");
    expect(parseViewerMessage('BB_DEVICE {"id":"a","type":"text","text":"x"}')).toMatchObject({ kind: "bad", id: "a" });
    expect(parseViewerMessage("REQUEST_KEYFRAME").kind).toBe("keyframe");
  });

  it("to install are refused from the input connection, in words", () => {
    const request = formatRequest({ id: "a", type: "control", control: { action: "install", paths: ["a.apk"] } });
    expect(parseInputMessage(request)).toEqual({
      kind: "bad",
      id: "a",
      words: "An install is asked for over the control connection only.",
      action: null,
    });
  });

  it.each([
    ['{"id":"a","type":"control","control":{"action":"rotate","turn":"left","to":"upright"},"owner":1}', "rotate"],
    ['{"id":"a","type":"control","control":{"action":"home","to":1},"owner":1}', "home"],
    ['{"id":"a","type":"control","control":{"action":"battery","to":{"level":101,"charging":true}},"owner":1}', "battery"],
    ['{"id":"a","type":"control","control":{"action":"battery","to":{"level":20}},"owner":1}', "battery"],
    ['{"id":"a","type":"control","control":{"action":"location","to":{"latitude":91,"longitude":0}},"owner":1}', "location"],
    ['{"id":"a","type":"control","control":{"action":"text_size","to":1.4},"owner":1}', "text_size"],
    ['{"id":"a","type":"control","control":{"action":"install","paths":[]},"owner":1}', "install"],
    ['{"id":"a","type":"control","control":{"action":"shake"},"owner":1}', null],
    ['{"id":"a","type":"control","control":{"action":"home"}}', null],
    ['{"id":"a","type":"input","owner":1,"input":{"type":"tap","at":{"x":1,"y":2}}}', null],
    ['{"id":"a","type":"wish"}', null],
    ['{"id":"a"}', null],
  ] as const)("of no known shape are bad, with their id, words and action: %s", (json, action) => {
    const parsed = parseControlMessage(`BB_DEVICE ${json}`);
    expect(parsed).toMatchObject({ kind: "bad", id: "a", action });
    expect(parsed.kind === "bad" ? parsed.words : "").toMatch(/\.$/);
  });

  it.each([
    [
      '{"id":"a","type":"control","control":{"action":"shake"},"owner":1}',
      /^There is no action shake\. The actions are: home, back, .*reboot\.$/,
    ],
    ['{"id":"a","type":"control","control":{"action":"home"}}', "owner is missing."],
    ['{"id":"a","type":"wish"}', "type is one of: control, input, open, owner, record, screenshot, tree, settle, result, stats."],
    ['{"type":"tree"}', "id is missing."],
    ['{"id":"","type":"tree"}', "id has at least 1 character."],
    ['{"id":"a","type":"screenshot","longestEdge":0}', "longestEdge is at least 1."],
    ['{"id":"a","type":"screenshot","longestEdge":"big"}', "longestEdge is not a number."],
    ['{"id":"a","type":"screenshot","longestEdge":1.5}', "longestEdge is not a whole number."],
    ['{"id":"a","type":"record","to":"pause"}', "to is one of: start, stop."],
    ['{"id":"a","type":"input","owner":1,"input":{"type":"tap","at":{"x":1,"y":2}}}', "input.at.generation is missing."],
    ['{"id":"a","type":"input","owner":1,"input":{"type":"tap","at":{"x":1,"y":2,"generation":1},"ms":3}}', "input takes no ms."],
    [
      '{"id":"a","type":"input","owner":1,"input":{"type":"long_press","at":{"x":1,"y":2,"generation":1},"ms":99999}}',
      "input.ms is at most 9000.",
    ],
    [
      '{"id":"a","type":"control","control":{"action":"rotate","to":"sideways"},"owner":1}',
      "control.to is one of: upright, turned-left, upside-down, turned-right.",
    ],
    ['{"id":"a","type":"control","control":{"action":"rotate","turn":"up"},"owner":1}', "control.turn is one of: left, right."],
    ['{"id":"a","type":"control","control":{"action":"rotate"},"owner":1}', "control.turn is one of: left, right."],
    [
      '{"id":"a","type":"control","control":{"action":"text_size","to":"huge"},"owner":1}',
      /^control\.to is one of: larger, smaller, default, .*large, .*0\.85, .*2\.$/,
    ],
    ["[]", "The message is not an object."],
  ] as const)("that are bad say in words what is wrong: %s", (json, words) => {
    const parsed = parseControlMessage(`BB_DEVICE ${json}`);
    const said = parsed.kind === "bad" ? parsed.words : "";
    if (typeof words === "string") expect(said).toBe(words);
    else expect(said).toMatch(words);
  });

  it.each([
    "BB_DEVICE {",
    "BB_DEVICE null",
    "BB_DEVICE []",
    'BB_DEVICE {"id":"","type":"tree"}',
    `BB_DEVICE {"id":"${"x".repeat(65)}","type":"tree"}`,
  ])("with no id that can be answered to are bad with none: %s", (text) => {
    expect(parseControlMessage(text)).toMatchObject({ kind: "bad", id: null });
  });

  it("that are touches have no id: one that was sent is left out, as nobody will answer to it", () => {
    const parsed = parseInputMessage('BB_DEVICE {"id":"a","type":"touch","contacts":[],"generation":3}');
    expect(parsed).toEqual({ kind: "request", request: { type: "touch", contacts: [], generation: 3 } });
  });

  it("name no finger twice and no more than ten", () => {
    const touch = (ids: readonly number[]): unknown =>
      parseInputMessage(formatRequest({ type: "touch", contacts: ids.map((id) => ({ id, x: 0, y: 0 })), generation: 1 })).kind;
    expect(touch([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe("request");
    expect(touch([1, 1])).toBe("bad");
    expect(touch([10])).toBe("bad");
  });

  it("cut at any byte are bad or ignored and never throw", () => {
    for (const request of [...INPUT_REQUESTS, ...CONTROL_REQUESTS]) {
      const text = formatRequest(request);
      for (let length = 0; length < text.length; length += 1) {
        const cut = text.slice(0, length);
        expect(parseControlMessage(cut).kind).not.toBe("request");
        expect(parseInputMessage(cut).kind).not.toBe("request");
        expect(parseViewerMessage(cut).kind).not.toBe("request");
      }
    }
  });

  it("of any JSON give a request or words, and never throw", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        for (const parse of [parseControlMessage, parseInputMessage, parseViewerMessage]) {
          const parsed = parse(`BB_DEVICE ${json}`);
          if (parsed.kind === "bad") expect(parsed.words.length).toBeGreaterThan(5);
        }
      }),
    );
  });
});

describe("what the server says", () => {
  const answers: readonly Answer[] = [
    { id: "a", ok: true, state: IOS, ms: 12, words: "Turned it." },
    { id: "a", ok: true, state: FLAT, ms: 12, png: "aGk=", width: 10, height: 20, scale: 0.5, generation: 3 },
    { id: "a", ok: true, state: FLAT, ms: 12, still: true, generation: 3 },
    {
      id: "a",
      ok: true,
      state: FOLD,
      ms: 12,
      generation: 3,
      elements: [
        {
          role: "list",
          identifier: null,
          label: "",
          value: null,
          frame: { x: 0, y: 0, width: 10, height: 10 },
          enabled: true,
          focused: false,
          can: null,
          children: [
            {
              role: "cell",
              identifier: "id/row",
              label: "Row",
              value: "1",
              frame: { x: 0, y: 0, width: 10, height: 5 },
              enabled: true,
              focused: true,
              can: { tap: true, edit: false, scroll: false },
              children: [],
            },
          ],
        },
      ],
    },
    { id: null, ok: false, error: { code: "stale-geometry", words: "The device turned." } },
    { id: "b", ok: false, error: { code: "outcome-unknown", words: "Who knows." }, state: FLAT },
  ];

  it("is read by its client as it was formatted", () => {
    expect(parseServerMessage(formatHello(HELLO))).toEqual({ kind: "hello", hello: HELLO });
    for (const state of STATES) {
      const message = { state, warning: null, progress: "Starting Android" };
      expect(parseServerMessage(formatState(message))).toEqual({ kind: "state", message });
    }
    const touch = { contacts: [{ id: 1, x: 2, y: 3 }], by: "agent", generation: 3 } as const;
    expect(parseServerMessage(formatTouch(touch))).toEqual({ kind: "touch", touch });
    expect(parseServerMessage(formatStill({ png: "aGk=", generation: 3 }))).toEqual({
      kind: "still",
      still: { png: "aGk=", generation: 3 },
    });
    expect(parseServerMessage(formatOwner({ generation: 3, holder: "none" }))).toEqual({
      kind: "owner",
      owner: { generation: 3, holder: "none" },
    });
    expect(parseServerMessage(formatSuperseded())).toEqual({ kind: "superseded" });
    for (const answer of answers) expect(parseServerMessage(formatAnswer(answer))).toEqual({ kind: "answer", answer });
  });

  it("keeps working for a client when a newer server adds fields and verbs", () => {
    expect(parseServerMessage('BB_DEVICE_OWNER {"generation":1,"holder":"agent","new":1}').kind).toBe("owner");
    expect(parseServerMessage("BB_DEVICE_WEATHER {}")).toEqual({ kind: "ignored", verb: "BB_DEVICE_WEATHER" });
  });

  it("is refused in words when a known verb has a value that is none", () => {
    expect(parseServerMessage('BB_DEVICE_OWNER {"generation":-1,"holder":"agent"}')).toMatchObject({
      kind: "bad",
      verb: "BB_DEVICE_OWNER",
    });
    expect(parseServerMessage("BB_DEVICE_STATE {")).toMatchObject({ kind: "bad" });
    const flatWithPosture = JSON.stringify({ state: { ...FOLD, form: "foldable", posture: undefined } });
    expect(parseServerMessage(`BB_DEVICE_STATE ${flatWithPosture}`)).toMatchObject({ kind: "bad" });
  });

  it("cut at any byte is never taken for the whole", () => {
    for (const text of [formatHello(HELLO), ...STATES.map((state) => formatState({ state, warning: null, progress: null }))]) {
      for (let length = 0; length < text.length; length += 1) {
        expect(["bad", "ignored"]).toContain(parseServerMessage(text.slice(0, length)).kind);
      }
    }
  });
});

describe("the panel's own messages", () => {
  it("are read as they were formatted, and others are none", () => {
    expect(parsePanelMessage(formatControl({ holder: "you", generation: 2 }))).toEqual({
      kind: "control",
      control: { holder: "you", generation: 2 },
    });
    expect(parsePanelMessage(formatLatency({ medianMs: 12, p95Ms: 30 }))).toEqual({
      kind: "latency",
      latency: { medianMs: 12, p95Ms: 30 },
    });
    expect(parsePanelMessage("BB_CONTROL_TAKE")).toBeNull();
    expect(parsePanelMessage("BB_CONTROL {")).toBeNull();
    expect(parsePanelMessage('BB_CONTROL {"holder":"cat","generation":1}')).toBeNull();
  });
});
