"""The device's shell: enough of sh to run the lines a client sends, and Android's own commands with their real wording."""
import re
import shlex
import time
import uuid

BOOT_ID = "/proc/sys/kernel/random/boot_id"
NAMES = {1: "CLOSED", 2: "HALF_OPENED", 3: "OPENED"}

DUMP = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="{rotation}">\
<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.android.settings" content-desc="" \
checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" \
long-clickable="false" password="false" selected="false" bounds="[0,0][{width},{height}]">\
<node index="0" text="Search &amp; settings" resource-id="com.android.settings:id/search" class="android.widget.EditText" \
package="com.android.settings" content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" \
focused="true" scrollable="false" long-clickable="true" password="false" selected="false" bounds="[40,160][{right},280]" />\
<node index="1" text="" resource-id="com.android.settings:id/list" class="androidx.recyclerview.widget.RecyclerView" \
package="com.android.settings" content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="true" \
focused="false" scrollable="true" long-clickable="false" password="false" selected="false" bounds="[0,300][{width},{height}]">\
<node index="0" text="Wi&#8209;Fi" resource-id="" class="android.widget.TextView" package="com.android.settings" content-desc="" \
checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" scrollable="false" \
long-clickable="false" password="false" selected="false" bounds="[40,320][{right},440]" />\
<node index="1" text="" resource-id="com.android.settings:id/airplane" class="android.widget.Switch" package="com.android.settings" \
content-desc="Airplane mode" checkable="true" checked="true" clickable="true" enabled="false" focusable="true" focused="false" \
scrollable="false" long-clickable="false" password="false" selected="false" bounds="[40,460][{right},580]" /></node></node></hierarchy>"""


class Shell:
    def __init__(self, device, options, log):
        self.device = device
        self.options = options
        self.log = log
        self.props = {
            "sys.boot_completed": "1" if options.booted else "",
            "ro.build.version.sdk": str(options.api),
            "ro.build.characteristics": options.characteristics,
            "ro.product.cpu.abi": "x86_64",
            "ro.product.model": "sdk_gphone64_x86_64",
            "ro.kernel.qemu": "1",
            "ro.boot.qemu.avd_name": options.avd,
        }
        self.settings = {
            ("system", "font_scale"): "1.0",
            ("system", "accelerometer_rotation"): "1",
            ("global", "airplane_mode_on"): "0",
            ("global", "wifi_on"): "1",
            ("secure", "android_id"): "f00dfeedf00dfeed",
        }
        self.mobile_data = True
        self.qdiscs = {}
        self.links = {"wlan0"}
        self.packages = {"com.android.settings", "com.android.chrome"}
        self.sessions = {}
        self.files = {BOOT_ID: str(uuid.uuid4()), "/data/misc/apexdata/com.android.wifi/WifiConfigStore.xml": '<string name="SSID">&quot;AndroidWifi&quot;</string>'}
        self.instrumentation = False
        self.offset_ms = 0

    def run(self, line, stdin=b""):
        """(stdout, stderr, exit code) of one line."""
        self.log("shell", line=line)
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&<>")
        lexer.whitespace_split = True
        tokens = list(lexer)
        out, err, code, words, piped, join = "", "", 0, [], None, ";"
        for token in [*tokens, ";"]:
            if token not in (";", "&&", "||", "|"):
                words.append(token)
                continue
            if words and not (join == "&&" and code) and not (join == "||" and not code):
                text, error, code = self.one(words, stdin if piped is None else piped)
                err += error
                piped = text if token == "|" else None
                out += "" if token == "|" else text
            join = token if token != "|" else ";"
            words = []
        return out.encode(), err.encode(), code

    def one(self, words, stdin):
        quiet, quiet_error, merge, target = False, False, False, None
        kept = []
        skip = iter(words)
        for word in skip:
            if word in (">", ">&", "<"):
                to = next(skip, "")
                if kept and kept[-1] == "2":
                    kept.pop()
                    merge, quiet_error = word == ">&", word == ">"
                elif word == ">":
                    quiet, target = True, to
            else:
                kept.append(word)
        if not kept:
            return "", "", 0
        if kept[0] == "su":
            if not self.options.root:
                return "", "su: inaccessible or not found\n", 127
            kept = kept[2:]
        handler = getattr(self, "do_" + kept[0].replace("-", "_"), None)
        if handler is None:
            return "", f"/system/bin/sh: {kept[0]}: inaccessible or not found\n", 127
        text, error, code = handler(kept[1:], stdin)
        if merge:
            text, error = text + error, ""
        if target and target != "/dev/null":
            self.files[target] = text
        return ("" if quiet else text), ("" if quiet_error else error), code

    # Plain commands.

    def do_echo(self, args, _stdin):
        return " ".join(args) + "\n", "", 0

    def do_true(self, _args, _stdin):
        return "", "", 0

    def do_sync(self, _args, _stdin):
        return "", "", 0

    def do_cat(self, args, _stdin):
        if args[0] not in self.files:
            return "", f"cat: {args[0]}: No such file or directory\n", 1
        return self.files[args[0]], "", 0

    def do_rm(self, args, _stdin):
        for path in args:
            self.files.pop(path, None)
        return "", "", 0

    def do_grep(self, args, stdin):
        flags = [a for a in args if a.startswith("-")]
        if "-A" in args:
            del args[args.index("-A") + 1]
        plain = [a for a in args if not a.startswith("-")]
        text = stdin if len(plain) < 2 else self.files.get(plain[1], "")
        text = text.decode() if isinstance(text, bytes) else text
        found = [line for line in text.splitlines() if re.search(plain[0], line)]
        quiet = any("q" in flag for flag in flags)
        return ("" if quiet else "".join(line + "\n" for line in found)), "", 0 if found else 1

    def do_date(self, args, _stdin):
        given = next((a for a in args if a.startswith("@")), None)
        if given:
            self.offset_ms = float(given[1:]) * 1000 - time.time() * 1000
            return "", "", 0
        return f"{int(time.time() + self.offset_ms / 1000)}\n", "", 0

    def do_getprop(self, args, _stdin):
        return self.props.get(args[0], "") + "\n", "", 0

    def do_ps(self, _args, _stdin):
        return "ARGS\ninit\nzygote64\n", "", 0

    def do_wm(self, args, _stdin):
        width, height = self.device.inner
        words = {"size": f"Physical size: {width}x{height}\n", "density": f"Physical density: {self.options.density}\n"}
        return words.get(args[0], ""), "", 0

    def do_input(self, args, _stdin):
        if args[:1] == ["keyevent"]:
            keys = {"KEYCODE_SLEEP": lambda: self.device.sleep(True), "KEYCODE_WAKEUP": lambda: self.device.sleep(False)}
            keys.get(args[1], lambda: None)()
        return "", "", 0

    def do_settings(self, args, _stdin):
        verb, space, key = args[:3]
        if verb == "get":
            return self.settings.get((space, key), "null") + "\n", "", 0
        if verb == "delete":
            self.settings.pop((space, key), None)
            return "Deleted 1 rows\n", "", 0
        self.settings[(space, key)] = args[3]
        return "", "", 0

    def do_dumpsys(self, args, _stdin):
        if args[:1] == ["power"]:
            state = "Awake" if self.device.awake else "Asleep"
            return f"POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness={state}\n  mWakefulnessChanging=false\n", "", 0
        if args[:1] == ["activity"]:
            running = "  Active instrumentation:\n    Instrumentation #0: ActiveInstrumentation{5f1 androidx.test.runner.AndroidJUnitRunner}\n"
            return "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n" + (running if self.instrumentation else ""), "", 0
        return "", f"Can't find service: {args[0] if args else ''}\n", 1

    def do_svc(self, args, _stdin):
        on = args[1:2] == ["enable"]
        if args[0] == "wifi":
            self.settings[("global", "wifi_on")] = "1" if on else "0"
        elif args[0] == "data":
            self.mobile_data = on
        return "", "", 0

    def do_cmd(self, args, stdin):
        handler = getattr(self, "cmd_" + args[0].replace("-", "_"), None)
        if handler is None:
            return "", f"cmd: Can't find service: {args[0]}\n", 20
        return handler(args[1:], stdin)

    def cmd_uimode(self, args, _stdin):
        if len(args) > 1:
            self.device.set_dark(args[1] == "yes")
        return f"Night mode: {'yes' if self.device.dark else 'no'}\n", "", 0

    def cmd_device_state(self, args, _stdin):
        if not self.device.outer:
            return "Committed state: DeviceState{identifier=0, name='DEFAULT', app_accessible=true}\n", "", 0
        if args[:1] == ["print-states"]:
            lines = "".join(f"  DeviceState{{identifier={value - 1}, name='{name}', app_accessible=true}},\n" for value, name in NAMES.items())
            return f"Supported states: [\n{lines}]\n", "", 0
        value = self.device.posture
        state = f"DeviceState{{identifier={value - 1}, name='{NAMES[value]}', app_accessible=true}}"
        return f"Committed state: {state}\nBase state: {state}\n", "", 0

    def cmd_connectivity(self, args, _stdin):
        if args[:1] == ["airplane-mode"]:
            if len(args) == 1:
                return ("enabled" if self.settings[("global", "airplane_mode_on")] == "1" else "disabled") + "\n", "", 0
            self.settings[("global", "airplane_mode_on")] = "1" if args[1] == "enable" else "0"
        return "", "", 0

    def cmd_alarm(self, args, _stdin):
        if args[:1] == ["set-time"]:
            self.offset_ms = float(args[1]) - time.time() * 1000
            return "", "", 0
        return "", "Unknown command\n", 255

    def cmd_package(self, args, stdin):
        return self.do_pm(args, stdin)

    # The network inside the device.

    def do_ip(self, args, _stdin):
        if args[:2] == ["link", "add"]:
            if args[2] in self.links:
                return "", "RTNETLINK answers: File exists\n", 2
            self.links.add(args[2])
        return "", "", 0

    def do_tc(self, args, _stdin):
        verb, link = args[1], args[args.index("dev") + 1]
        if args[0] == "filter":
            return "", "", 0
        if verb == "show":
            return self.qdiscs.get(link, f"qdisc pfifo_fast 0: dev {link} root refcnt 2 bands 3\n"), "", 0
        if verb == "del":
            if link not in self.qdiscs:
                return "", "RTNETLINK answers: No such file or directory\n", 2
            if "ingress" not in args:
                self.qdiscs.pop(link)
            return "", "", 0
        if link not in self.links:
            return "", f'Cannot find device "{link}"\n', 1
        if "netem" in args:
            self.qdiscs[link] = f"qdisc netem 8001: dev {link} root refcnt 2 limit 1000 {' '.join(args[args.index('netem') + 1 :])}\n"
        return "", "", 0

    # Apps.

    def do_pm(self, args, stdin):
        if args[:1] == ["list"]:
            return "".join(f"package:{name}\n" for name in sorted(self.packages)), "", 0
        if args[:1] == ["path"]:
            if args[1] in self.packages:
                return f"package:/data/app/~~abc==/{args[1]}-1/base.apk\n", "", 0
            return "", "", 1
        if args[:1] == ["install-create"]:
            number = 1000 + len(self.sessions)
            self.sessions[number] = {"flags": args[1:], "parts": []}
            return f"Success: created install session [{number}]\n", "", 0
        if args[:1] == ["install-write"]:
            flags = [a for a in args[1:]]
            numbers = [int(a) for a in flags if a.isdigit() and int(a) in self.sessions]
            self.sessions[numbers[0]]["parts"].append(len(stdin))
            self.sessions[numbers[0]]["package"] = self.package_of(stdin)
            return f"Success: streamed {len(stdin)} bytes\n", "", 0
        if args[:1] == ["install-commit"]:
            session = self.sessions.pop(int(args[1]))
            return self.installed(session["package"], session["flags"], sum(session["parts"]), parts=len(session["parts"]))
        if args[:1] == ["install"]:
            return self.installed(self.package_of(stdin), args[1:], len(stdin))
        return "", f"Unknown command: {' '.join(args)}\n", 255

    def package_of(self, data):
        """The tests' APKs carry their package in plain sight; anything else is one fixed app."""
        found = re.search(rb"BBPKG:([a-z.]+)", data)
        return found.group(1).decode() if found else "bb.test.app"

    def installed(self, name, flags, size, parts=1):
        self.log("install", package=name, flags=flags, bytes=size, parts=parts)
        if name == "bb.broken.app":
            return "Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse base.apk]\n", "", 1
        if "-R" in flags and name in self.packages:
            return f"Failure [INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {name} without first uninstalling.]\n", "", 1
        self.packages.add(name)
        return "Success\n", "", 0

    def do_am(self, args, _stdin):
        if args[:1] == ["broadcast"]:
            return "Broadcasting: Intent { act=com.android.systemui.demo flg=0x400000 }\nBroadcast completed: result=0\n", "", 0
        if args[:1] == ["start"]:
            address = args[args.index("-d") + 1] if "-d" in args else ""
            if address.startswith("nobody:"):
                return "", "Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW }\n", 1
            return "Starting: Intent { act=android.intent.action.VIEW dat=" + address + " }\n", "", 0
        return "", "", 0

    def do_uiautomator(self, args, _stdin):
        # An app that is locked upright is dumped upright, whatever way the device is held.
        width, height = self.device.panel() if self.device.app_upright else self.device.picture_size()
        rotation = 0 if self.device.app_upright else {0: 0, 90: 1, 180: 2, -90: 3}[self.device.turn]
        text = DUMP.format(width=width, height=height, right=width - 40, rotation=rotation)
        path = args[-1] if args[-1].startswith("/") else "/sdcard/window_dump.xml"
        self.files[path] = text
        return f"UI hierchary dumped to: {path}\n", "", 0
