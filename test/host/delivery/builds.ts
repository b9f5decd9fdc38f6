/** The device server's bundle as other versions of it, and the addon of this machine, as a delivery source. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { build } from "esbuild";
import type { DeliverySource } from "#host/delivery/source.ts";
import { ROOT } from "../../support/product.ts";

const { deviceBundleOptions } = (await import("../../../setup/bundle.mjs" as string)) as {
  deviceBundleOptions(root: string): BuildOptions;
};

/** The real bundle under another number. */
export async function sourceOf(version: number): Promise<DeliverySource> {
  const { outputFiles } = await build({
    ...deviceBundleOptions(ROOT),
    write: false,
    plugins: [
      {
        name: "another-number",
        setup: (setup) => {
          setup.onLoad({ filter: /core[\\/]version\.ts$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(/(DEVICE_SERVER_VERSION = )\d+/, `$1${version}`),
            loader: "ts",
          }));
        },
      },
    ],
  });
  return source(version, outputFiles?.[0]?.contents ?? new Uint8Array());
}

/** One that ends before it says anything. */
export function brokenSource(version: number): DeliverySource {
  return source(version, Buffer.from("process.exit(1);\n"));
}

function source(version: number, bundle: Uint8Array): DeliverySource {
  return {
    code: { version, protocol: { min: 1, max: 1 } },
    files: () => [
      { name: "bb-box-device.mjs", bytes: bundle },
      { name: "device.node", bytes: readFileSync(join(ROOT, "build/device.node")) },
    ],
    unit: () => readFileSync(join(ROOT, "setup/systemd/bb-box-device.service")),
  };
}
