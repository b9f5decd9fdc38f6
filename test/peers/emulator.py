#!/usr/bin/python3
"""A stand-in Android emulator for tests and for development by hand. It imports nothing of the product.

It listens for gRPC (a token is asked), writes a discovery file, has a console and an adbd that registers with an adb server.
Commands come on stdin and everything that reaches it goes out on stdout, one JSON object a line each.
Needs Debian's python3-grpcio, protobuf-compiler and protobuf-compiler-grpc.
"""
import argparse
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
import uuid

sys.dont_write_bytecode = True

import emulator_adbd
import emulator_console
import emulator_grpc
import emulator_proto
from emulator_device import Device
from emulator_shell import BOOT_ID, Shell


def size(text):
    width, height = text.split("x")
    return int(width), int(height)


def parse(argv):
    here = os.path.dirname(os.path.abspath(__file__))
    proto = os.path.join(here, "..", "..", "node_modules", "android-emulator-webrtc", "proto", "emulator_controller.proto")
    parser = argparse.ArgumentParser()
    parser.add_argument("--proto", default=proto)
    parser.add_argument("--discovery", help="folder for the discovery file")
    parser.add_argument("--avd", default="Pixel_8_API_35")
    parser.add_argument("--avd-dir", default="")
    parser.add_argument("--size", type=size, default=(1080, 2400), help="the (inner) panel, upright: WxH")
    parser.add_argument("--outer", type=size, default=None, help="a foldable's outer panel: WxH")
    parser.add_argument("--density", type=int, default=420)
    parser.add_argument("--api", type=int, default=35)
    parser.add_argument("--characteristics", default="emulator")
    parser.add_argument("--grpc-port", type=int, default=0)
    parser.add_argument("--console-port", type=int, default=0, help="adb's port is the next; 0: a free pair")
    parser.add_argument("--adb-server", type=int, default=0, help="register with the adb server on this port")
    parser.add_argument("--adb-auth", action="store_true")
    parser.add_argument("--no-adb", action="store_true")
    parser.add_argument("--console-token", default="")
    parser.add_argument("--listen", default="127.0.0.1")
    parser.add_argument("--deny", default="", type=lambda text: [name for name in text.split(",") if name])
    parser.add_argument("--touch-space", choices=["natural", "oriented"], default="natural")
    parser.add_argument("--refuse-mmap", action="store_true")
    parser.add_argument("--fail-mmap", action="store_true")
    parser.add_argument("--mmap-ms", default=[0], type=lambda text: [int(ms) for ms in text.split(",")], help="so late is a mapped picture: of the first stream, the second, …; the last goes on")
    parser.add_argument("--no-token", action="store_true")
    parser.add_argument("--jwt", action="store_true", help="a discovery file that offers JWT only")
    parser.add_argument("--not-booted", dest="booted", action="store_false")
    parser.add_argument("--no-root", dest="root", action="store_false")
    parser.add_argument("--stalled", help="come no further than this file, which is given the process and one that it started; no port, no discovery file")
    parser.add_argument("--deaf", action="store_true", help="with --stalled: SIGTERM does nothing")
    parser.add_argument("--no-grpc-if-taken", action="store_true", help="run on without gRPC when its port is taken, as some releases do")
    parser.add_argument("--log", help="append the log to this file too")
    parser.add_argument("--control", help="a unix socket that takes commands and tells the log; the input's end then ends nothing")
    return parser.parse_args(argv)


def stall(options):
    """As an emulator that still loads: two processes of one group, and nothing that tells of them."""
    if options.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    other = os.fork()
    if other != 0:
        with open(options.stalled + ".new", "w", encoding="utf-8") as file:
            json.dump([os.getpid(), other], file)
        os.replace(options.stalled + ".new", options.stalled)
    while True:
        signal.pause()


class Log:
    """One JSON object a line, whole lines only."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "a", encoding="utf-8") if path else None
        self.followers = []

    def __call__(self, event, **fields):
        line = json.dumps({"event": event, "loggedMs": time.monotonic() * 1000, **fields}, default=str) + "\n"
        with self.lock:
            try:
                sys.stdout.write(line)
                sys.stdout.flush()
            except (BrokenPipeError, ValueError):
                pass
            if self.file:
                self.file.write(line)
                self.file.flush()
            for follower in list(self.followers):
                try:
                    follower.sendall(line.encode())
                except OSError:
                    self.followers.remove(follower)


def free_pair():
    """An even port whose next one is free too, away from those adb looks at by itself."""
    for port in range(15600 + 2 * secrets.randbelow(2000), 65000, 2):
        try:
            with socket.create_server(("127.0.0.1", port)), socket.create_server(("127.0.0.1", port + 1)):
                return port
        except OSError:
            continue
    raise SystemExit("no free pair of ports")


class Peer:
    def __init__(self, options):
        self.options = options
        self.log = Log(options.log)
        options.token = "" if options.no_token or options.jwt else secrets.token_urlsafe(24)
        self.discovery = None
        options.on_reboot = self.reboot
        self.device = Device(options, self.log)
        self.shell = Shell(self.device, options, self.log)
        self.guard = emulator_grpc.Guard(options, self.log)

    def start(self):
        options = self.options
        messages, services = emulator_proto.load(options.proto)
        try:
            self.server, self.grpc_port = emulator_grpc.serve(
                messages, services, self.device, self.guard, self.log, f"{options.listen}:{options.grpc_port}"
            )
        except RuntimeError:
            if not options.no_grpc_if_taken:
                raise
            self.grpc_port = 0
        self.console_port = options.console_port or free_pair()
        emulator_console.listen(self.device, self.shell, options, self.log, options.listen, self.console_port, self.kill)
        if not options.no_adb:
            adbd = emulator_adbd.Adbd(self.shell, options, self.log)
            adbd.listen(options.listen, self.console_port + 1)
            if options.adb_server:
                adbd.register(options.adb_server, self.console_port + 1)
        self.write_discovery()
        if options.control:
            threading.Thread(target=self.take_orders, args=(socket.create_server(options.control, family=socket.AF_UNIX),), daemon=True).start()
        self.log(
            "ready",
            pid=os.getpid(),
            serial=f"emulator-{self.console_port}",
            grpcPort=self.grpc_port,
            token=options.token,
            consolePort=self.console_port,
            adbPort=self.console_port + 1,
            discovery=self.discovery,
        )

    def take_orders(self, server):
        def serve(connection):
            self.log.followers.append(connection)
            for line in connection.makefile("r", encoding="utf-8"):
                order = json.loads(line)
                self.log("did", id=order.get("id"), **self.do(order))

        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    def write_discovery(self):
        options = self.options
        if not options.discovery:
            return
        os.makedirs(options.discovery, mode=0o700, exist_ok=True)
        lines = {
            "port.serial": self.console_port,
            "emulator.build": "15507667",
            "emulator.version": "37.2.12",
            "port.adb": self.console_port + 1,
            "avd.name": options.avd.replace("_", " "),
            "avd.id": options.avd,
            "avd.dir": options.avd_dir,
            "cmdline": f'"emulator" "-avd" "{options.avd}" "-no-window"',
        }
        if self.grpc_port:
            lines["grpc.port"] = self.grpc_port
        if options.token:
            lines["grpc.token"] = options.token
        if options.jwt:
            lines["grpc.jwks"] = os.path.join(options.discovery, "jwks")
            lines["grpc.jwk_active"] = os.path.join(options.discovery, "jwks", "active.jwk")
        path = os.path.join(options.discovery, f"pid_{os.getpid()}.ini")
        with open(os.open(path + ".new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(f"{key}={value}\n" for key, value in lines.items())
        os.replace(path + ".new", path)
        self.discovery = path

    def remove_discovery(self):
        if self.discovery and os.path.exists(self.discovery):
            os.unlink(self.discovery)

    def kill(self):
        """The console's kill: the snapshot is saved and the discovery file goes."""
        self.log("killed", saved=True)
        self.remove_discovery()
        os._exit(0)

    def reboot(self):
        """Android restarts inside; the emulator goes on."""

        def again():
            self.shell.props["sys.boot_completed"] = ""
            self.shell.files[BOOT_ID] = str(uuid.uuid4())
            self.device.show("home")
            self.shell.props["sys.boot_completed"] = "1"
            self.log("rebooted")

        threading.Thread(target=again, daemon=True).start()

    def do(self, order):
        device, what = self.device, order["do"]
        if what == "busy":
            device.run_busy(order["fps"])
        elif what == "slow":
            device.slow_ms = order["ms"]
        elif what == "die":
            self.log("died")
            os._exit(137)
        elif what == "hang":
            device.hung = order["on"]
        elif what == "end-stream":
            with device.changed:
                device.stream_epoch += 1
                device.changed.notify_all()
        elif what == "zero":
            device.sleep(order["on"])
        elif what == "repost":
            for _ in range(order["times"]):
                device.post(draw=False)
                time.sleep(0.01)
        elif what == "need":
            device.need_bytes = order["bytes"]
            device.post(draw=False)
        elif what == "refuse-mmap":
            device.refuse_mmap = order["on"]
        elif what == "tear":
            device.tear = order["on"]
        elif what == "token":
            self.options.token = self.guard.token = secrets.token_urlsafe(24)
            if order.get("write", True):
                self.write_discovery()
        elif what == "deny":
            self.guard.denied = set(order["methods"])
        elif what == "rotate":
            device.set_turn(order["degrees"])
        elif what == "posture":
            device.set_posture(order["value"])
        elif what == "copy":
            device.set_clipboard(order["text"], "device")
        elif what == "show":
            device.show(order["page"])
        elif what == "app-upright":
            device.app_upright = order["on"]
        elif what == "night":
            device.set_dark(order["on"])
        elif what == "setting":
            self.shell.settings[(order["space"], order["key"])] = order["value"]
        elif what == "prop":
            self.shell.props[order["key"]] = order["value"]
        elif what == "instrumentation":
            self.shell.instrumentation = order["on"]
        elif what == "rediscover":
            self.remove_discovery()
            self.write_discovery()
        elif what == "pixel":
            data, width, _height = device.frame()
            at = (order["y"] * width + order["x"]) * 3
            return {"rgb": list(data[at : at + 3])}
        elif what == "state":
            return {
                "turn": device.turn,
                "posture": device.posture,
                "awake": device.awake,
                "dark": device.dark,
                "page": device.page,
                "clipboard": device.clipboard,
                "typed": device.typed,
                "gps": device.gps,
                "battery": device.battery,
                "contacts": device.contacts,
                "seq": device.seq,
                "settings": {f"{space}.{key}": value for (space, key), value in self.shell.settings.items()},
                "qdiscs": self.shell.qdiscs,
                "mobileData": self.shell.mobile_data,
                "packages": sorted(self.shell.packages),
                "clockOffsetMs": self.shell.offset_ms,
            }
        elif what == "save-frame":
            data, width, height = device.frame()
            with open(order["path"], "wb") as file:
                file.write(data)
            return {"width": width, "height": height}
        else:
            return {"error": f"no such order: {what}"}
        return {}


def main():
    options = parse(sys.argv[1:])
    if options.stalled:
        stall(options)
    peer = Peer(options)
    peer.start()
    for line in sys.stdin:
        order = json.loads(line)
        peer.log("did", id=order.get("id"), **peer.do(order))
    if peer.options.control:
        threading.Event().wait()
    # The input's end is the test's end: nothing of the peer stays behind.
    peer.remove_discovery()
    os._exit(0)


if __name__ == "__main__":
    main()
