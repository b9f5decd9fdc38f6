/**
 * The program that installs a version in a box. It is run by the box's own Node from its standard input's side, so that everything in it
 * is atomic and the same on every system: files are written beside, checked by hash, renamed; `current` is a link that is renamed into place.
 */

/** What precedes the files on its standard input: one line of JSON, then their bytes one after another. */
export interface InstallHeader {
  readonly version: number;
  /** Also when the box has a newer one, which speaks no protocol of ours. */
  readonly backwards: boolean;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

/** What it answers, one line of JSON on its standard output. */
export type InstallAnswer =
  | { readonly ok: true; readonly before: number | null }
  | { readonly ok: false; readonly newer: number }
  | { readonly ok: false; readonly words: string };

const COMMON = `
const fs = require("node:fs"), path = require("node:path"), crypto = require("node:crypto");
const server = path.join(process.env.BB_BOX_DEVICE_HOME || path.join(process.env.BB_BOX_HOME, "device"), "server");
const say = (value) => fs.writeSync(1, JSON.stringify(value) + "\\n");
const link = path.join(server, "current");
const now = () => { try { const name = path.basename(fs.readlinkSync(link)); return /^[0-9]+$/.test(name) ? Number(name) : null; } catch { return null; } };
const point = (version) => {
  const fresh = link + "." + process.pid;
  fs.rmSync(fresh, { force: true });
  fs.symlinkSync(String(version), fresh);
  fs.renameSync(fresh, link);
};
`;

/** Reads the header and the files, and puts them in the version's own folder; nothing runs them yet. */
export const INSTALL = `${COMMON}
process.umask(0o077);
const input = fs.readFileSync(0);
const end = input.indexOf(10);
const header = JSON.parse(input.subarray(0, end).toString("utf8"));
const before = now();
const fresh = path.join(server, "." + header.version + "-" + process.pid);
try {
  if (before !== null && before > header.version && !header.backwards) say({ ok: false, newer: before });
  else {
    const folder = path.join(server, String(header.version));
    fs.mkdirSync(fresh, { recursive: true, mode: 0o700 });
    let at = end + 1;
    for (const file of header.files) {
      const bytes = input.subarray(at, at + file.bytes);
      at += file.bytes;
      if (crypto.createHash("sha256").update(bytes).digest("hex") !== file.sha256) throw new Error(file.name + " did not arrive whole.");
      const fd = fs.openSync(path.join(fresh, path.basename(file.name)), "wx", 0o700);
      fs.writeFileSync(fd, bytes);
      fs.fsyncSync(fd);
      fs.closeSync(fd);
    }
    const old = path.join(server, ".old-" + process.pid);
    if (fs.existsSync(folder)) fs.renameSync(folder, old);
    fs.renameSync(fresh, folder);
    fs.rmSync(old, { recursive: true, force: true });
    for (const name of fs.readdirSync(server)) {
      const version = Number(name);
      if (/^[0-9]+$/.test(name) && version !== header.version && version !== before) fs.rmSync(path.join(server, name), { recursive: true, force: true });
    }
    say({ ok: true, before });
  }
} catch (error) {
  say({ ok: false, words: String(error && error.message || error) });
  try { fs.rmSync(fresh, { recursive: true, force: true }); } catch {}
}
`;

/**
 * Points \`current\` at the version of its first argument ("none": at nothing). With a second, "forward", a newer one is left as it is.
 */
export const POINT = `${COMMON}
const [to, how] = process.argv.slice(1);
const before = now();
if (how === "forward" && before !== null && before > Number(to)) say({ ok: false, newer: before });
else {
  if (to === "none") fs.rmSync(link, { force: true });
  else point(Number(to));
  say({ ok: true, before });
}
`;

/** What the box is. */
export const PROBE = `
const header = process.report.getReport().header;
const libc = process.platform !== "linux" ? "" : header.glibcVersionRuntime ? "-gnu" : "-musl";
console.log(JSON.stringify({ platform: process.platform + "-" + process.arch + libc, node: process.versions.node }));
`;

/**
 * Starts the device server anew, by whatever keeps it up there: systemd's user manager, launchd, or our own keeper. The environment has NODE
 * and BB_BOX_HOME. Its standard input may hold the systemd unit, which is put in place when the user has a manager and no unit of their own.
 * What it writes is for a person to know of.
 */
export const RESTART = `
DEVICE="\${BB_BOX_DEVICE_HOME:-$BB_BOX_HOME/device}"
MAIN="$DEVICE/server/current/bb-box-device.mjs"
UNIT=bb-box-device.service
: "\${XDG_RUNTIME_DIR:=/run/user/$(id -u)}"
export XDG_RUNTIME_DIR
if [ "$(uname -s)" = Darwin ] && launchctl print "gui/$(id -u)/dev.bb-box.device" >/dev/null 2>&1; then
  exec launchctl kickstart -k "gui/$(id -u)/dev.bb-box.device"
fi
if [ "$BB_BOX_HOME" = "$HOME/.bb-box" ] && command -v systemctl >/dev/null 2>&1 && systemctl --user show-environment >/dev/null 2>&1; then
  FILE="\${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/$UNIT"
  if [ ! -e "$FILE" ]; then
    mkdir -p "$(dirname "$FILE")" && cat >"$FILE" || exit 1
    systemctl --user daemon-reload && systemctl --user enable "$UNIT" >/dev/null 2>&1
    # Without this the user's manager, and the device with it, ends with the last ssh connection and does not start with the machine.
    if command -v loginctl >/dev/null 2>&1 && ! SAID="$(loginctl enable-linger 2>&1)"; then
      echo "The device server ends with this user's last session ($SAID). As root: loginctl enable-linger $(id -un)"
    fi
  fi
  systemctl --user reset-failed "$UNIT" >/dev/null 2>&1
  exec systemctl --user restart "$UNIT"
fi
exec "$NODE" -e '
const net = require("node:net"), path = require("node:path"), { spawn } = require("node:child_process");
const [device, main, home] = process.argv.slice(1);
const reach = (name, found, missing) => { const socket = net.connect(path.join(device, name)); socket.once("connect", () => found(socket)); socket.once("error", missing); };
reach("keeper.sock", (socket) => { socket.on("data", () => process.exit(0)); socket.on("end", () => process.exit(1)); socket.write("restart\\n"); }, () =>
  reach("device.sock", () => { console.error("a device server runs there that was started by hand; end it, and it is started anew"); process.exit(46); }, () => {
    spawn(process.execPath, [main, "serve", "--keep", "--home", home], { detached: true, stdio: "ignore" }).unref();
  }));
' "$DEVICE" "$MAIN" "$BB_BOX_HOME"
`;
