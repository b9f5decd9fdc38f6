/** The host's page: finds the token, asks which boxes there are, and shows one's device. */
import { boxesAnswerSchema } from "#wire/panel.ts";
import { boxInstead, FIRST_BOX } from "./boxes.ts";
import { DeviceView } from "./device-view.ts";
import { en } from "./i18n/messages.ts";
import { type ProbeAnswer, SocketPort } from "./stream/socket-port.ts";
import { newId } from "./stream/requests.ts";
import { takeToken } from "./token.ts";
import { takeViewerId } from "./viewer-id.ts";

const pageStyle = new CSSStyleSheet();
pageStyle.replaceSync(`
  html, body { height: 100%; margin: 0; }
  body { overflow: hidden; background: Canvas; }
  device-view { position: fixed; inset: 0; }
`);
document.adoptedStyleSheets = [pageStyle];

const token = takeToken(window);
const viewer = takeViewerId(window, newId);

function headers(): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

async function probe(): Promise<ProbeAnswer> {
  try {
    const answer = await fetch("/api/boxes", { headers: headers(), cache: "no-store" });
    return answer.status === 401 || answer.status === 403 ? "old-token" : answer.ok ? "welcome" : "away";
  } catch {
    return "away";
  }
}

async function boxes(view: DeviceView): Promise<void> {
  if (token === null) return;
  try {
    const answer = await fetch("/api/boxes", { headers: headers(), cache: "no-store" });
    const parsed = boxesAnswerSchema.safeParse(await answer.json());
    if (!parsed.success) return;
    view.patch({ boxes: parsed.data.boxes });
    const other = boxInstead(view.box, parsed.data.boxes);
    if (other !== null) show(view, other);
  } catch {
    // The socket says what is wrong; a list of boxes that does not come is only a switcher that does not show.
  }
}

function show(view: DeviceView, box: string): void {
  const url = new URL(`/api/boxes/${encodeURIComponent(box)}/displays/device`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("viewer", viewer);
  view.box = box;
  view.port = new SocketPort({
    url: url.href,
    token,
    makeSocket: (address, protocols) => new WebSocket(address, protocols),
    probe,
    now: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
  view.patch({ box });
}

const view = new DeviceView();
view.addEventListener("choose-box", (event) => {
  if (event instanceof CustomEvent) show(view, String(event.detail.id));
});
view.addEventListener("device-name", (event) => {
  document.title = event instanceof CustomEvent && typeof event.detail === "string" ? event.detail : en.unnamedDevice;
});
document.body.append(view);
// How the others are is asked for anew where they are chosen from.
view.addEventListener("picker-opens", () => void boxes(view));
show(view, FIRST_BOX);
void boxes(view);
