import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { sshBackend } from "#host/backends/ssh.ts";
import type { DeliverySource } from "#host/delivery/source.ts";
import { openHost } from "#host/host.ts";
import { newKeys } from "#host/keys.ts";
import type { Clock } from "#host/ports.ts";
import { systemTimers } from "#launch/timers.ts";
import { describeWith } from "../../support/needs.ts";
import { makeUser } from "../../support/other-user.ts";
import { startSshd } from "../../support/sshd.ts";
import { temporaryFolder } from "../../support/temp.ts";
import { PanelClient } from "../panel-client.ts";
import { FILES } from "../rig.ts";
import { brokenSource, sourceOf } from "./builds.ts";

const clock: Clock = { ...systemTimers, wall: () => Date.now() };

describeWith(["sshd", "root"], "delivery over a real sshd", () => {
  it(
    "brings a device server to an empty home, raises it when no person has control, and takes a broken one back",
    { timeout: 180_000 },
    async () => {
      const user = makeUser();
      const sshd = await startSshd(user.name);
      const logs: string[] = [];
      const server = join(user.home, ".bb-box/device/server");
      const openWith = async (source: DeliverySource) => {
        const home = temporaryFolder("host");
        const keys = newKeys(home);
        const backend = sshBackend(
          { host: `${user.name}@127.0.0.1`, port: sshd.port, identity: sshd.identity, options: sshd.options },
          clock,
        );
        const host = await openHost({
          home,
          boxes: [{ id: "b-12", name: "b-12", backend }],
          keys,
          files: FILES,
          port: 0,
          source,
          clock,
          log: (_level, message) => {
            logs.push(message);
            process.stderr.write(`${message}\n`);
          },
        });
        onTestFinished(() => host.close());
        const viewer = randomUUID();
        /** A page: connects again whenever its connection ends, as the viewer does. */
        const watch = async (holds: (client: PanelClient) => boolean): Promise<PanelClient> => {
          for (;;) {
            const client = new PanelClient(host.port, keys.token, viewer, "b-12");
            await client.until(() => client.closed !== null || holds(client));
            if (holds(client)) return client;
          }
        };
        return { host, home, watch };
      };
      const version = (client: PanelClient) =>
        /"version":(\d+)/.exec(client.texts.find((text) => text.startsWith("BB_DEVICE_HELLO")) ?? "")?.[1];

      const first = await openWith(await sourceOf(101));
      const watching = await first.watch((client) => client.binary.length > 0);
      expect(version(watching)).toBe("101");
      expect(readlinkSync(join(server, "current"))).toBe("101");
      expect(statSync(join(user.home, ".bb-box/device")).mode & 0o777).toBe(0o700);
      expect(statSync(join(server, "101/bb-box-device.mjs")).uid).toBe(user.uid);
      watching.send("BB_CONTROL_TAKE");
      await watching.until(() => watching.texts.some((text) => text.startsWith('BB_CONTROL {"holder":"you"')));

      const phone = () =>
        (JSON.parse(readFileSync(join(user.home, ".bb-box/device/run/phone-test-device.json"), "utf8")) as { pid: number }).pid;
      const booted = phone();

      // A newer host: it takes the lease, and waits for the person.
      const second = await openWith(await sourceOf(102));
      const watched = await second.watch((client) => client.binary.length > 0);
      expect(version(watched)).toBe("101");
      while (!logs.includes("Box b-12's device server waits for version 102 until the person hands back control."))
        await new Promise((resolve) => setImmediate(resolve));
      expect(readlinkSync(join(server, "current"))).toBe("101");
      watched.send("BB_CONTROL_TAKE");
      await watched.until(() => watched.texts.some((text) => text.startsWith('BB_CONTROL {"holder":"you"')));
      watched.send("BB_CONTROL_BACK");
      await watched.until(() => watched.closed !== null);
      const raised = await second.watch((client) => version(client) === "102" && client.binary.length > 0);
      expect(readlinkSync(join(server, "current"))).toBe("102");
      expect(readdirSync(server).sort()).toEqual(["101", "102", "current"]);
      // The device was not booted anew for it.
      expect(phone()).toBe(booted);
      raised.socket.close();

      // An older host never sends its older code back.
      const older = await openWith(await sourceOf(101));
      const kept = await older.watch((client) => client.binary.length > 0);
      expect(version(kept)).toBe("102");
      expect(readlinkSync(join(server, "current"))).toBe("102");
      kept.socket.close();

      const broken = await openWith(brokenSource(103));
      await broken.watch((client) => version(client) === "102");
      while (!logs.some((line) => line.startsWith("Box b-12: version 103 did not come up")))
        await new Promise((resolve) => setImmediate(resolve));
      const back = await broken.watch((client) => version(client) === "102" && client.binary.length > 0);
      expect(readlinkSync(join(server, "current"))).toBe("102");
      expect(broken.host.boxes[0]?.delivery?.bad).toBe(103);
      back.socket.close();
      // It is remembered by the next start of that host.
      await broken.host.close();
      expect(JSON.parse(readFileSync(join(broken.home, "bad-versions.json"), "utf8"))).toEqual({ "b-12": 103 });
    },
  );
});
