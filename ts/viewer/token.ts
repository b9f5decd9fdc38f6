/** The link's token: read from the fragment once, kept for this tab only, and gone from the address bar. */
const KEY = "bb-device.token";

export function takeToken(window: Pick<Window, "location" | "history" | "sessionStorage">): string | null {
  const { location, history } = window;
  const found = new URLSearchParams(location.hash.replace(/^#/, "")).get("token");
  if (found !== null && found !== "") {
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    try {
      window.sessionStorage.setItem(KEY, found);
    } catch {
      // A browser that keeps nothing still has the token for as long as this page lives.
    }
    return found;
  }
  try {
    return window.sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
