import { describe, expect, it } from "vitest";
import { takeToken } from "#viewer/token.ts";
import { takeViewerId } from "#viewer/viewer-id.ts";

class Storage_ {
  readonly #kept = new Map<string, string>();
  getItem(key: string): string | null {
    return this.#kept.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#kept.set(key, value);
  }
  removeItem(key: string): void {
    this.#kept.delete(key);
  }
}

class Page {
  readonly sessionStorage: Storage;
  readonly location: Location;
  readonly replaced: string[] = [];
  readonly history: History;
  readonly #listeners = new Map<string, () => void>();
  constructor(storage: Storage_, hash = "") {
    this.sessionStorage = storage as unknown as Storage;
    this.location = { hash, pathname: "/", search: "" } as Location;
    this.history = { replaceState: (_state: unknown, _title: string, url: string) => this.replaced.push(url) } as unknown as History;
  }
  addEventListener = ((type: string, run: () => void) => void this.#listeners.set(type, run)) as Window["addEventListener"];
  fire(type: string): void {
    this.#listeners.get(type)?.();
  }
}

describe("the link's token", () => {
  it("is taken from the fragment, which leaves the address bar, and kept for this tab", () => {
    const storage = new Storage_();
    const page = new Page(storage, "#token=abc");
    expect(takeToken(page)).toBe("abc");
    expect(page.replaced).toEqual(["/"]);
    expect(takeToken(new Page(storage))).toBe("abc");
  });

  it("is the newer link's when there are two, and null when there is none", () => {
    const storage = new Storage_();
    expect(takeToken(new Page(storage))).toBeNull();
    takeToken(new Page(storage, "#token=old"));
    expect(takeToken(new Page(storage, "#token=new"))).toBe("new");
    expect(takeToken(new Page(storage, "#token="))).toBe("new");
  });
});

describe("who this tab is", () => {
  const ids = (): (() => string) => {
    let next = 0;
    return () => `id-${(next += 1)}`;
  };

  it("stays through a reload", () => {
    const storage = new Storage_();
    const fresh = ids();
    const page = new Page(storage);
    expect(takeViewerId(page, fresh)).toBe("id-1");
    page.fire("pagehide");
    expect(takeViewerId(new Page(storage), fresh)).toBe("id-1");
  });

  it("is another's in a tab duplicated while this one shows, also once this one came back from the browser's cache", () => {
    const storage = new Storage_();
    const fresh = ids();
    const page = new Page(storage);
    takeViewerId(page, fresh);
    expect(takeViewerId(new Page(storage), fresh)).toBe("id-2");
    page.fire("pagehide");
    page.fire("pageshow");
    expect(takeViewerId(new Page(storage), fresh)).toBe("id-3");
  });
});
