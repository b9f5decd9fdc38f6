"""adb's device side over TCP, as adbd speaks it to the real adb server: CNXN, AUTH, OPEN, WRTE, OKAY, CLSE."""
import os
import queue
import shlex
import socket
import struct
import threading

VERSION = 0x01000001
MAX_DATA = 256 * 1024
FEATURES = "shell_v2,cmd,fixed_push_mkdir,abb_exec"


def command(name):
    return struct.unpack("<I", name)[0]


CNXN, AUTH, OPEN, OKAY, CLSE, WRTE = (command(n) for n in (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE"))


class Stream:
    """One opened service: what came in, and one write out at a time."""

    def __init__(self, connection, local, remote):
        self.connection, self.local, self.remote = connection, local, remote
        self.incoming = queue.Queue()
        self.ready = threading.Semaphore(0)
        self.buffer = b""
        self.closed = False

    def read(self, size):
        """Exactly this many bytes, or fewer when the other side closes."""
        while len(self.buffer) < size:
            piece = self.incoming.get()
            if piece is None:
                break
            self.buffer += piece
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def write(self, data):
        for at in range(0, len(data), MAX_DATA // 2):
            if self.closed:
                return
            self.connection.send(WRTE, self.local, self.remote, data[at : at + MAX_DATA // 2])
            self.ready.acquire()

    def close(self):
        if not self.closed:
            self.closed = True
            self.connection.send(CLSE, self.local, self.remote)


class Connection:
    def __init__(self, sock, adbd):
        self.sock, self.adbd = sock, adbd
        self.streams = {}
        self.next = 1
        self.writing = threading.Lock()
        self.token = os.urandom(20)

    def send(self, name, first, second, data=b""):
        header = struct.pack("<6I", name, first, second, len(data), sum(data) & 0xFFFFFFFF, name ^ 0xFFFFFFFF)
        with self.writing:
            try:
                self.sock.sendall(header + data)
            except OSError:
                pass

    def exactly(self, size):
        data = b""
        while len(data) < size:
            piece = self.sock.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def serve(self):
        try:
            while True:
                name, first, second, size, _check, _magic = struct.unpack("<6I", self.exactly(24))
                self.message(name, first, second, self.exactly(size))
        except (EOFError, OSError):
            pass
        finally:
            for stream in self.streams.values():
                stream.closed = True
                stream.incoming.put(None)
                stream.ready.release()
            self.sock.close()

    def message(self, name, first, second, data):
        if name == CNXN:
            if self.adbd.options.adb_auth:
                self.send(AUTH, 1, 0, self.token)
            else:
                self.welcome()
        elif name == AUTH:
            # Kind 2 is a signature of the token, 3 a public key; the peer takes any key that asks.
            self.adbd.log("adb-auth", kind=first)
            self.welcome()
        elif name == OPEN:
            stream = Stream(self, self.next, first)
            self.next += 1
            self.streams[stream.local] = stream
            service = data.rstrip(b"\0").decode()
            threading.Thread(target=self.adbd.run, args=(stream, service), daemon=True).start()
        elif name == WRTE and second in self.streams:
            self.streams[second].incoming.put(data)
            self.send(OKAY, second, first)
        elif name == OKAY and second in self.streams:
            self.streams[second].ready.release()
        elif name == CLSE and second in self.streams:
            stream = self.streams.pop(second)
            stream.closed = True
            stream.incoming.put(None)
            stream.ready.release()

    def welcome(self):
        banner = f"device::ro.product.name=sdk_gphone64_x86_64;ro.product.model=sdk_gphone64_x86_64;ro.product.device=emu64xa;features={FEATURES}"
        self.send(CNXN, VERSION, MAX_DATA, banner.encode())


class Adbd:
    def __init__(self, shell, options, log):
        self.shell, self.options, self.log = shell, options, log
        self.files = {}

    def listen(self, address, port):
        server = socket.create_server((address, port))
        threading.Thread(target=self.accept, args=(server,), daemon=True).start()
        return server.getsockname()[1]

    def accept(self, server):
        while True:
            sock, _ = server.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Connection(sock, self).serve, daemon=True).start()

    def register(self, server_port, adb_port):
        """Tells the adb server where this emulator is, as an emulator does when it starts."""
        with socket.create_connection(("127.0.0.1", server_port), timeout=5) as sock:
            text = f"host:emulator:{adb_port}"
            sock.sendall(f"{len(text):04x}{text}".encode())

    def run(self, stream, service):
        self.log("adb", service=service)
        stream.connection.send(OKAY, stream.local, stream.remote)
        if service.startswith("shell,v2"):
            self.shell_v2(stream, service.split(":", 1)[1])
        elif service.startswith("shell:"):
            out, err, _code = self.shell.run(service[6:])
            stream.write(out + err)
        elif service.startswith("exec:"):
            self.execute(stream, service[5:])
        elif service.startswith("abb_exec:"):
            self.package(stream, service[9:].split("\0"))
        elif service.startswith("sync:"):
            self.sync(stream)
        elif service.startswith("reboot:"):
            self.shell.device.log("reboot")
            if self.options.on_reboot:
                self.options.on_reboot()
        stream.close()

    def shell_v2(self, stream, line):
        out, err, code = self.shell.run(line)
        for kind, data in ((1, out), (2, err)):
            for at in range(0, len(data), 32768):
                piece = data[at : at + 32768]
                stream.write(struct.pack("<BI", kind, len(piece)) + piece)
        stream.write(struct.pack("<BIB", 3, 1, code & 0xFF))

    def execute(self, stream, line):
        words = shlex.split(line)
        if words[:2] == ["cmd", "package"]:
            self.package(stream, words[1:])
            return
        out, _err, _code = self.shell.run(line)
        stream.write(out)

    def package(self, stream, words):
        """cmd package …, with the APK's bytes on its input where -S says how many."""
        size = int(words[words.index("-S") + 1]) if "-S" in words else 0
        data = stream.read(size) if words[1] in ("install", "install-write") else b""
        out, err, _code = self.shell.do_pm(words[1:], data)
        stream.write((out + err).encode())

    def sync(self, stream):
        while True:
            head = stream.read(8)
            if len(head) < 8:
                return
            name, size = head[:4], struct.unpack("<I", head[4:])[0]
            if name == b"QUIT":
                return
            if name in (b"STAT", b"RECV", b"LIST", b"SEND"):
                path = stream.read(size).decode()
            if name == b"STAT":
                data = self.files.get(path)
                stream.write(b"STAT" + struct.pack("<III", 0o100644 if data is not None else 0, len(data or b""), 0))
            elif name == b"SEND":
                data = b""
                while (piece := stream.read(8))[:4] == b"DATA":
                    data += stream.read(struct.unpack("<I", piece[4:])[0])
                self.files[path.rsplit(",", 1)[0]] = data
                stream.write(b"OKAY" + struct.pack("<I", 0))
            elif name == b"RECV":
                data = self.files.get(path)
                if data is None:
                    stream.write(b"FAIL" + struct.pack("<I", 4) + b"gone")
                    return
                stream.write(b"DATA" + struct.pack("<I", len(data)) + data + b"DONE" + struct.pack("<I", 0))
            elif name == b"LIST":
                stream.write(b"DONE" + struct.pack("<IIII", 0, 0, 0, 0))
