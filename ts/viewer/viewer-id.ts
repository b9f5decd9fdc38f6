/**
 * Who this tab is to the host. It outlives a reload, so that a person who reloads the page still has control; a tab that is
 * duplicated while this one is open gets its own, as the kept one lies in the tab's storage only while no page shows.
 */
const KEY = "bb-device.viewer";

/** `fresh` makes an id; it must be a UUID, as the host asks. */
export function takeViewerId(window: Pick<Window, "sessionStorage" | "addEventListener">, fresh: () => string): string {
  const take = (): string | null => {
    try {
      const kept = window.sessionStorage.getItem(KEY);
      window.sessionStorage.removeItem(KEY);
      return kept;
    } catch {
      return null;
    }
  };
  const id = take() ?? fresh();
  window.addEventListener("pagehide", () => {
    try {
      window.sessionStorage.setItem(KEY, id);
    } catch {
      // A browser that keeps nothing makes a new one after a reload.
    }
  });
  // A page that comes back as it was has it again.
  window.addEventListener("pageshow", () => void take());
  return id;
}
