/** Every test runs against the addon and the bundles of the sources as they are now. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export default async function setup(): Promise<void> {
  const { bundle } = (await import("../setup/bundle.mjs" as string)) as { bundle(root: string): Promise<void> };
  const { ensureAddon } = (await import("../setup/native.mjs" as string)) as { ensureAddon(root: string): Promise<string> };
  await ensureAddon(root);
  await bundle(root);
}
