import { describe, expect, it } from "vitest";
import { readVerb, type Verb, VERBS } from "#host/control.ts";
import type { SeenHolder } from "#host/holder.ts";
import { Session, type PanelSocket, type SessionBox } from "#host/session.ts";
import type { RelaySeat } from "#relay/video-relay.ts";
import { settle } from "../launch/manual-timers.ts";
import { ManualClock } from "./rig.ts";

const device = (body: object) => `BB_DEVICE ${JSON.stringify(body)}`;
/** One text of every verb. */
const TEXTS: Readonly<Record<Verb, string>> = {
  take: "BB_CONTROL_TAKE",
  back: "BB_CONTROL_BACK",
  settings: "SETTINGS,{}",
  "start-video": "START_VIDEO",
  "stop-video": "STOP_VIDEO",
  keyframe: "REQUEST_KEYFRAME",
  ack: "CLIENT_FRAME_ACK 7",
  "start-stills": "START_STILLS",
  "stop-stills": "STOP_STILLS",
  read: device({ id: "r", type: "tree" }),
  press: "m,1,2,1,0",
  move: "m,1,2,0,0",
  "key-down": "kd,97",
  "key-up": "ku,97",
  committed: "co,end,あ",
  touch: device({ type: "touch", contacts: [{ id: 0, x: 1, y: 2 }], generation: 3 }),
  lift: device({ type: "touch", contacts: [], generation: 3 }),
  text: device({ id: "x", type: "text", text: "a" }),
  paste: device({ id: "p", type: "paste", text: "a" }),
  control: device({ id: "c", type: "control", control: { action: "home" } }),
  open: device({ id: "o", type: "open", url: "https://example.com" }),
  bad: device({ id: "b", type: "nonsense" }),
};
const VERB_LIST = Object.keys(VERBS) as Verb[];

function session(holder: SeenHolder, take: () => Promise<void> = () => Promise.resolve()) {
  const said: string[] = [];
  const to: string[] = [];
  let closed: number | null = null;
  let now = holder;
  let backlog = 0;
  const box: SessionBox = {
    seenBy: () => now,
    generation: () => 4,
    take: async () => {
      to.push("take");
      await take();
      now = "you";
    },
    back: () => Promise.resolve(void to.push("back")),
    toViewer: (text) => to.push(`viewer ${text}`) > 0,
    toInput: (text) => to.push(`input ${text}`) > 0,
    inputBacklog: () => backlog,
    expect: () => true,
    withdraw: () => {},
    stillsChanged: () => void to.push("stills"),
    lastStill: () => null,
  };
  const seat: RelaySeat = {
    resume: () => void to.push("seat"),
    pause: () => void to.push("seat"),
    requestKey: () => void to.push("seat"),
    ack: () => void to.push("seat"),
    latency: () => null,
    leave: () => {},
  };
  const socket: PanelSocket = {
    send: (text) => said.push(text),
    sendBinary: () => {},
    bufferedBytes: () => 0,
    close: (code) => (closed = code),
  };
  const made = new Session("viewer", box, socket, new ManualClock(), seat);
  return { made, said, to, closed: () => closed, lag: (bytes: number) => (backlog = bytes) };
}

describe("the verb table", () => {
  it.each(VERB_LIST)("%s is read as itself", (verb) => {
    expect(readVerb(TEXTS[verb])?.verb).toBe(verb);
  });

  it.each(["cw,aGVsbG8=", "cws,12", "_gz,x", "r,1x1", "s,2", "vb,100", "js,c,0", "", "BB_NONSENSE", "BB_CONTROL {}"])(
    "%j is dropped without a word",
    (text) => {
      expect(readVerb(text)).toBeNull();
    },
  );

  it("a wheel's notch and a right button press; hovering does not", () => {
    expect(readVerb("m2,1,2,8,1")?.verb).toBe("press");
    expect(readVerb("m,1,2,4,0")?.verb).toBe("press");
    expect(readVerb("m2,1,2,0,0")?.verb).toBe("move");
  });

  it("a pen's eraser presses, as it touches on the device server", () => {
    expect(readVerb("m,1,2,32,0")?.verb).toBe("press");
    expect(readVerb("m,1,2,2,0")?.verb).toBe("move");
  });

  it("an install is no browser's to ask for", () => {
    expect(readVerb(device({ id: "i", type: "control", control: { action: "install", paths: ["/a.apk"] } }))?.verb).toBe("bad");
  });

  it.each(VERB_LIST.filter((verb) => VERBS[verb].to === "input"))(
    "%s of a watcher reaches nothing while another person has control, unless it takes control",
    async (verb) => {
      const { made, to } = session("other");
      made.heard(TEXTS[verb]);
      await settle();
      const takes = VERBS[verb].takes === "from-anyone";
      expect(to).toEqual(takes ? ["take", `input ${TEXTS[verb]}`] : []);
    },
  );

  it.each(VERB_LIST.filter((verb) => VERBS[verb].to === "input"))("%s passes from the one with control", (verb) => {
    const { made, to } = session("you");
    made.heard(TEXTS[verb]);
    expect(to).toEqual([`input ${TEXTS[verb]}`]);
  });

  it.each(VERB_LIST.filter((verb) => VERBS[verb].to === "input"))(
    "%s from nobody's hands takes control only where the table says so",
    async (verb) => {
      const { made, to } = session("none");
      made.heard(TEXTS[verb]);
      await settle();
      expect(to).toEqual(VERBS[verb].takes === "never" ? [] : ["take", `input ${TEXTS[verb]}`]);
    },
  );

  it("what nobody reads is answered bad-value and closes nothing", () => {
    const { made, said, closed } = session("you");
    made.heard(TEXTS.bad);
    expect(said[0]).toMatch(/^BB_DEVICE_ANSWER \{"id":"b","ok":false,"error":\{"code":"bad-value"/);
    expect(closed()).toBeNull();
  });
});

it("touches take none of a browser's 64 request places, with an id or without: nobody answers them", () => {
  const { made, to, said } = session("you");
  for (let i = 0; i < 100; i++) made.heard(device({ id: `t${i}`, type: "touch", contacts: [{ id: 0, x: i, y: 2 }], generation: 3 }));
  made.heard(TEXTS.text);
  expect(said).toEqual([]);
  expect(to.at(-1)).toBe(`input ${TEXTS.text}`);
  expect(to).toHaveLength(101);
});

it("START_VIDEO ends stills and video goes on, as on the device socket; STOP_VIDEO during stills keeps it from coming back", () => {
  const { made, to, said } = session("none");
  made.heard("START_STILLS");
  expect(made.stills).toBe(true);
  made.heard("START_VIDEO");
  expect(made.stills).toBe(false);
  expect(said).toEqual(["VIDEO_STARTED"]);
  expect(to.slice(-2)).toEqual(["seat", "stills"]);
  made.heard("START_STILLS");
  made.heard("STOP_VIDEO");
  const before = to.length;
  made.heard("STOP_STILLS");
  expect(to.slice(before)).toEqual(["stills"]);
});

describe("while control is being taken", () => {
  function slow(holder: SeenHolder) {
    let settleTake: { resolve: () => void; reject: (error: Error) => void } = { resolve: () => {}, reject: () => {} };
    const made = session(holder, () => new Promise((resolve, reject) => (settleTake = { resolve, reject })));
    return { ...made, take: () => settleTake };
  }

  it("everything waits in order", async () => {
    const { made, to, take } = slow("none");
    const texts = ["m,1,1,1,0", "m,2,2,1,0", "kd,97", "ku,97", "m,2,2,0,0"];
    for (const text of texts) made.heard(text);
    expect(to).toEqual(["take"]);
    take().resolve();
    await settle();
    expect(to.slice(1)).toEqual(texts.map((text) => `input ${text}`));
  });

  it("past its bound only moves are dropped: every down and up arrives", async () => {
    const { made, to, take } = slow("none");
    made.heard("m,0,0,1,0");
    for (let i = 1; i <= 1_000; i++) made.heard(`m,${i},${i},1,0`);
    made.heard("m,1000,1000,0,0");
    for (let key = 0; key < 20; key++) made.heard(`kd,${key}`);
    take().resolve();
    await settle();
    const input = to.slice(1);
    expect(input.length).toBeLessThanOrEqual(256);
    expect(input.at(-21)).toBe("input m,1000,1000,0,0");
    expect(input.filter((text) => text.startsWith("input kd"))).toHaveLength(20);
    expect(input).toContain("input m,1000,1000,1,0");
  });

  it("more keys than can wait close the connection instead of losing one", () => {
    const { made, closed } = slow("none");
    for (let key = 0; key < 300; key++) made.heard(`kd,${key}`);
    expect(closed()).toBe(1013);
  });

  it("a take that is refused answers what waited and sends nothing", async () => {
    const { made, to, said, take } = slow("agent");
    made.heard(TEXTS.control);
    take().reject(new Error("The box is away."));
    await settle();
    expect(to).toEqual(["take"]);
    expect(said.filter((text) => text.includes('"id":"c"'))).toEqual([
      `BB_DEVICE_ANSWER {"id":"c","ok":false,"error":{"code":"failed","words":"The box is away."}}`,
    ]);
  });
});

it("towards a device server that lags, moves are dropped and presses are not", () => {
  const { made, to, lag } = session("you");
  made.heard("m,1,1,1,0");
  lag(1_000_000);
  made.heard("m,2,2,1,0");
  made.heard("m,3,3,1,0");
  made.heard("m,3,3,0,0");
  made.heard("m,4,4,0,0");
  expect(to).toEqual(["input m,1,1,1,0", "input m,3,3,0,0"]);
});

it("a device server that takes nothing at all ends the connection, so that nothing comes late", () => {
  const { made, to, lag, closed } = session("you");
  lag(5_000_000);
  made.heard("kd,97");
  expect(to).toEqual([]);
  expect(closed()).toBe(1013);
});
