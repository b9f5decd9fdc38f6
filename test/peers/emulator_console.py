"""The emulator's text console on loopback: auth, then the commands a client falls back to."""
import socketserver
import threading


def listen(device, shell, options, log, address, port, on_kill):
    """Starts; answers the port. With no auth token file a client may do what it likes, as with an empty one."""

    class Handler(socketserver.StreamRequestHandler):
        def say(self, text):
            self.wfile.write(text.replace("\n", "\r\n").encode())

        def handle(self):
            known = not options.console_token
            if not known:
                self.say("Android Console: Authentication required\nAndroid Console: type 'auth <auth_token>' to authenticate\n")
            self.say("Android Console: type 'help' for a list of commands\nOK\n")
            for raw in self.rfile:
                words = raw.decode().split()
                if not words:
                    continue
                if words[0] in ("quit", "exit"):
                    return
                if words[0] == "auth":
                    known = words[1:] == [options.console_token]
                    self.say("Android Console: type 'help' for a list of commands\nOK\n" if known else "KO: authentication token does not match\n")
                    continue
                if not known:
                    self.say("KO: unknown command, try 'help'\n")
                    continue
                log("console", words=words)
                answer = command(words)
                self.say(answer)
                if words[0] == "kill":
                    on_kill()
                    return

    def command(words):
        if words[:2] == ["geo", "fix"]:
            device.gps.update(longitude=float(words[2]), latitude=float(words[3]))
        elif words[:2] == ["power", "capacity"]:
            device.battery["chargeLevel"] = int(words[2])
        elif words[:2] == ["power", "ac"]:
            device.battery["charger"] = 1 if words[2] == "on" else 0
        elif words[:2] == ["power", "status"]:
            device.battery["status"] = {"unknown": 0, "charging": 1, "discharging": 2, "not-charging": 3, "full": 4}[words[2]]
        elif words[:2] == ["power", "display"]:
            status = {0: "Unknown", 1: "Charging", 2: "Discharging", 3: "Not-charging", 4: "Full"}[device.battery["status"]]
            ac = "online" if device.battery["charger"] else "offline"
            return f"AC: {ac}\nstatus: {status}\nhealth: Good\npresent: true\ncapacity: {device.battery['chargeLevel']}\nOK\n"
        elif words[0] == "posture":
            if not device.set_posture(int(words[1])):
                return "KO: posture is not supported\n"
        elif words[0] in ("fold", "unfold"):
            if not device.set_posture(1 if words[0] == "fold" else 3):
                return "KO: not a foldable\n"
        elif words[:2] == ["avd", "name"]:
            return f"{options.avd}\nOK\n"
        elif words[0] == "rotate":
            turn = device.turn - 90
            device.set_turn(180 if turn == -180 else turn)
        elif words[0] != "kill":
            return "KO: unknown command, try 'help'\n"
        return "OK: killing emulator, bye bye\n" if words[0] == "kill" else "OK\n"

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    server = Server((address, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
