/** Every command, its options and its words, in one table: parsing and help are both made from it. */

export interface OptionSpec {
  readonly type: "string" | "boolean";
  /** How its value is named in the help: "DIR". */
  readonly value?: string;
  readonly words: string;
}

export interface CommandSpec {
  readonly name: string;
  /** Positional arguments, each named; a last one that ends in "…" takes all that follow. */
  readonly positionals: readonly string[];
  /** How many of them must be there. */
  readonly needed: number;
  readonly words: string;
  readonly more?: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
}

const HOME: OptionSpec = {
  type: "string",
  value: "DIR",
  words: "The folder that everything is kept in (default ~/.bb-box, or BB_BOX_HOME).",
};
const JSON_OUT: OptionSpec = { type: "boolean", words: "Answer with one JSON line on stdout; words go to stderr." };
const BOX: OptionSpec = { type: "string", value: "BOX", words: "The box (default: the first one; `status` lists them)." };
const DEVICE: OptionSpec = {
  type: "string",
  value: "DEVICE",
  words: "test, android, a running emulator's serial (emulator-5554), or fake-android, a checkout's stand-in.",
};
const MODEL: OptionSpec = { type: "string", value: "NAME", words: 'The model or AVD to boot, such as "Test device" or "Test foldable".' };
const SCENE: OptionSpec = { type: "string", value: "SCENE", words: "What the test phone shows: demo (default), still or busy." };
const FPS: OptionSpec = {
  type: "string",
  value: "N",
  words: "Frames a second of the test phone while something moves (1 to 60, default 60).",
};
const STOP_DEVICE: OptionSpec = {
  type: "boolean",
  words:
    "Stop the device at the end too: an emulator that was started here saves its snapshot, one that was found is left. The test phone always is.",
};
const PORT: OptionSpec = { type: "string", value: "PORT", words: "The panel's port (default 4710; taken: the next free one; 0: any)." };

const running = { home: HOME, box: BOX, json: JSON_OUT } as const;

export const COMMANDS = [
  {
    name: "start",
    positionals: [],
    needed: 0,
    words: "A device on screen: starts a device server and a host, prints the link, opens a browser.",
    more: [
      "Without --device (or BB_BOX_DEVICE): the emulator that runs; of two or more, none, and they are listed; where none runs, the test phone.",
      "A second start on a home that runs prints its link and ends. Ctrl-C or SIGTERM ends everything it started but an emulator.",
    ].join("\n"),
    options: {
      home: HOME,
      port: PORT,
      device: DEVICE,
      model: MODEL,
      scene: SCENE,
      fps: FPS,
      "no-open": { type: "boolean", words: "Open no browser." },
      "stop-device": STOP_DEVICE,
      json: {
        type: "boolean",
        words: 'One JSON line on stdout when it is ready: {"ready":true,"url","token","socket","device","encoder"}.',
      },
    },
  },
  {
    name: "serve",
    positionals: [],
    needed: 0,
    words: "The device server alone: one device, on a unix socket in DIR/device (or BB_BOX_DEVICE_HOME).",
    more: "Without --device: BB_BOX_DEVICE, else android where an emulator runs or can be booted, else test.",
    options: {
      home: HOME,
      device: DEVICE,
      model: MODEL,
      scene: SCENE,
      fps: FPS,
      "stop-device": STOP_DEVICE,
      keep: {
        type: "boolean",
        words: "Keep it up where no service manager does: started again when it ends, from DIR/device/server/current.",
      },
    },
  },
  {
    name: "host",
    positionals: [],
    needed: 0,
    words: "The host alone: the panel for the boxes of DIR/boxes.json, or for this machine's.",
    options: { home: HOME, port: PORT, json: { type: "boolean", words: "One JSON line on stdout when it listens." } },
  },
  {
    name: "connect",
    positionals: [],
    needed: 0,
    words: "Joins stdin and stdout to the device server's socket, starting its service first; what a host runs over ssh.",
    options: { home: HOME },
  },
  {
    name: "test-phone",
    positionals: [],
    needed: 0,
    words: "The test phone's own process; the device server starts it.",
    options: {
      home: { type: "string", value: "DIR", words: "The device home it belongs to." },
      model: MODEL,
      scene: SCENE,
      fps: FPS,
      seed: { type: "string", value: "N", words: "What its drawing's chance begins with (default 1)." },
    },
  },
  {
    name: "status",
    positionals: [],
    needed: 0,
    words: "What runs: the link, each box's device, encoder and who has control.",
    options: running,
  },
  { name: "screenshot", positionals: ["FILE"], needed: 1, words: "The device's own pixels as a PNG (- is stdout).", options: running },
  { name: "tree", positionals: [], needed: 0, words: "The device's elements, with their places in the video's pixels.", options: running },
  { name: "tap", positionals: ["X", "Y"], needed: 2, words: "One tap, in the video's pixels.", options: running },
  {
    name: "swipe",
    positionals: ["X1", "Y1", "X2", "Y2"],
    needed: 4,
    words: "One finger from one place to another.",
    options: { ...running, ms: { type: "string", value: "MS", words: "How long it takes (default 300)." } },
  },
  { name: "text", positionals: ["TEXT"], needed: 1, words: "Types this into the field that has the focus.", options: running },
  {
    name: "key",
    positionals: ["KEY"],
    needed: 1,
    words: 'One key by its W3C name, such as Enter or "a"; with --modifiers shift,control.',
    options: { ...running, modifiers: { type: "string", value: "LIST", words: "shift, control, alt, meta, with commas between." } },
  },
  {
    name: "control",
    positionals: ["ACTION", "VALUE…"],
    needed: 1,
    words: "One of the device's controls.",
    more: [
      "home · back · recents · lock · wake · reboot",
      "rotate left|right|upright|turned-left|upside-down|turned-right",
      "posture closed|half-open|open      appearance light|dark",
      "text_size larger|smaller|default|STEP    status_bar clean|live",
      "location LATITUDE LONGITUDE|off    battery LEVEL [charging]|off",
      "network online|offline|slow        switch MODEL",
      "install PATH…                      open URL",
    ].join("\n"),
    options: {
      ...running,
      turn: { type: "string", value: "SIDE", words: "rotate: left or right." },
      to: { type: "string", value: "VALUE", words: "The value, where it reads better than a bare word." },
    },
  },
  {
    name: "logs",
    positionals: [],
    needed: 0,
    words: "The last lines of the device server's and the host's logs.",
    options: { home: HOME, lines: { type: "string", value: "N", words: "How many (default 100)." }, json: JSON_OUT },
  },
  {
    name: "doctor",
    positionals: [],
    needed: 0,
    words: "Checks what is needed, and says how to mend what is not right.",
    options: { home: HOME, port: PORT, device: DEVICE, json: JSON_OUT },
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof COMMANDS)[number]["name"];

/** What an exit code means; the same for every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, inUse: 3, notRunning: 4, refused: 5, unfit: 6 } as const;
export const EXIT_WORDS: readonly (readonly [number, string])[] = [
  [EXIT.ok, "it did what was asked, or was ended by a signal in order"],
  [EXIT.failed, "it could not, and stderr says why"],
  [EXIT.usage, "the command line cannot be read"],
  [EXIT.inUse, "another process has this home already"],
  [EXIT.notRunning, "nothing runs on this home"],
  [EXIT.refused, "the device refused it; the answer says why"],
  [EXIT.unfit, "this machine lacks something that is needed; `doctor` says what"],
];
