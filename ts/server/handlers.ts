/** The table of what each request does. One row a request; each rejects with a DeviceError in words. */
import type { DeviceControl, DeviceState } from "#core/device.ts";
import { badValue, DeviceError, notBooted, staleGeometry, unsupported } from "#core/errors.ts";
import { answerWords, withThe } from "#core/words.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import type { Controls } from "./controls.ts";
import type { Handlers } from "./desk.ts";
import type { Inputs } from "./input/inputs.ts";
import type { DeviceLife } from "./life.ts";
import type { Connection } from "./listener.ts";
import type { OwnerBook } from "./owner.ts";
import type { Quiet } from "./quiet.ts";
import type { Present } from "./rules/owner.ts";
import type { StateBook } from "./state-book.ts";
import type { VideoStream } from "./video/stream.ts";

export interface HandlerParts {
  readonly driver: DeviceDriver;
  readonly book: StateBook;
  readonly life: DeviceLife;
  readonly controls: Controls;
  readonly inputs: Inputs;
  readonly owner: OwnerBook;
  readonly quiet: Quiet;
  readonly stream: VideoStream;
  readonly present: () => Present;
}

/** A tree or a picture that the screen turned under is taken again, this often. */
const TRIES = 3;
/** Schemes that start an app or show a page; others (file, javascript) are no links. */
const LINK = /^[a-z][a-z0-9+.-]*:/i;
const NO_LINKS = new Set(["file:", "javascript:", "data:", "content:", "about:"]);

export function handlersOf(parts: HandlerParts): Handlers {
  const { driver, book, life, controls, inputs, owner, quiet, stream } = parts;

  const booted = (): void => {
    const { power, model } = book.state;
    if (!life.ready) throw notBooted(model, power.is === "booted" ? "booting" : power.is);
  };
  /** What was read is of one geometry: the one it is answered with. */
  const steady = async <T>(read: () => Promise<T>): Promise<{ readonly value: T; readonly generation: number }> => {
    for (let tries = 1; tries <= TRIES; tries++) {
      const generation = book.generation;
      const value = await read();
      if (generation === book.generation) return { value, generation };
    }
    throw staleGeometry();
  };
  const control = async (id: string, asked: DeviceControl, refusal: () => DeviceError | null, onlyNewApps: () => boolean) => {
    const model = book.state.model;
    const ms = await controls.run(asked, id, { refusal, onlyNewApps });
    return { tookMs: ms, words: answerWords(asked, model, ms, book.state satisfies DeviceState) };
  };

  return {
    async screenshot({ longestEdge }) {
      booted();
      const { value, generation } = await steady(() => driver.screenshot(longestEdge === undefined ? {} : { longestEdge }));
      const across = book.geometry?.video.width ?? value.width;
      const png = Buffer.from(value.png).toString("base64");
      return { png, width: value.width, height: value.height, scale: value.width / across, generation };
    },
    async tree() {
      booted();
      const { value, generation } = await steady(() => driver.tree());
      return { elements: value, generation };
    },
    async settle({ quietMs, maxMs }) {
      booted();
      const { still, ms } = await quiet.settle(quietMs, maxMs);
      return { still, tookMs: Math.round(ms), generation: book.generation };
    },
    stats({ frames }) {
      const { stages } = stream;
      const video = life.current === null ? null : { ...driver.video().stats() };
      const stats = { stages: stages.clocks(), video, viewers: stream.watching, encoder: stream.encoder() };
      return Promise.resolve({ stats: frames === true ? { ...stats, frames: stages.frames() } : stats });
    },
    async control(request, from) {
      if ("owner" in request) {
        const leave = () => owner.agentMay(request.owner, request.control);
        return control(
          request.id,
          request.control,
          () => {
            const now = leave();
            return now.is === "no" ? now.error : null;
          },
          () => leave().is === "if-not-installed",
        );
      }
      return control(request.id, request.control, personRefusal(owner, from), () => false);
    },
    async input({ input, owner: generation }) {
      await inputs.agent(input, () => owner.agentRefusal(generation));
      return {};
    },
    async text({ text }) {
      await inputs.personText(text, "text");
      return {};
    },
    async paste({ text }) {
      await inputs.personText(text, "paste");
      return {};
    },
    async open(request, from) {
      const refusal = "owner" in request ? owner.agentRefusal(request.owner) : personRefusal(owner, from)();
      if (refusal !== null) throw refusal;
      booted();
      checkLink(request.url);
      await driver.open(request.url);
      return { words: `Opened the link on ${withThe(book.state.model)}.` };
    },
    owner({ generation, holder }) {
      owner.set(generation, holder, parts.present());
      return Promise.resolve({});
    },
    record({ to }) {
      const model = withThe(book.state.model, "The");
      return Promise.reject(unsupported(`${model} is not recorded here: this version of the device server cannot ${to} a recording.`));
    },
    touch: ({ contacts, generation }) => inputs.touch(contacts, generation),
  };
}

/** A person's control that waited is void once the agent holds control or the connection is another's. */
function personRefusal(owner: OwnerBook, from: Connection): () => DeviceError | null {
  return () => owner.personMay() ?? (from.open ? null : new DeviceError("superseded", "The connection that asked for this has ended."));
}

function checkLink(url: string): void {
  const scheme = LINK.exec(url)?.[0].toLowerCase();
  if (scheme === undefined) throw badValue(`${url.slice(0, 200)} is not a whole link. A link begins with its scheme, such as https:.`);
  if (NO_LINKS.has(scheme)) throw badValue(`A ${scheme.slice(0, -1)} link does not open on a device. Use an https link or an app's own.`);
}
