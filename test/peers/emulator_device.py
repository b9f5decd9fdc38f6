"""The device behind the peer: its screen, its sensors, its settings. One lock, one condition; no wire is known here."""
import random
import threading
import time

TURNS = {0: "PORTRAIT", 90: "LANDSCAPE", 180: "REVERSE_PORTRAIT", -180: "REVERSE_PORTRAIT", -90: "REVERSE_LANDSCAPE"}
CONTACT_COLOURS = [
    (230, 60, 50), (40, 160, 70), (50, 90, 220), (230, 160, 30), (150, 60, 180),
    (20, 170, 180), (240, 110, 170), (120, 90, 50), (90, 120, 20), (40, 40, 40),
]
MARK_RADIUS = 24


def build_scene(width, height, dark, page):
    """A screen that looks like one: a bar, a title, rows with a picture and two lines of text."""
    ground = (18, 20, 24) if dark else (246, 247, 249)
    card = (34, 37, 43) if dark else (255, 255, 255)
    ink = (206, 210, 218) if dark else (52, 56, 64)
    accent = {"home": (52, 108, 214), "app": (22, 140, 110), "recents": (150, 88, 196)}[page]
    canvas = bytearray(bytes(ground) * (width * height))
    pick = random.Random(f"{width}x{height}{page}")
    fill(canvas, width, height, 0, 0, width, height // 28, accent)
    top = height // 14
    row = max(96, height // 14)
    while top + row < height - height // 20:
        fill(canvas, width, height, width // 24, top, width - width // 12, row - row // 8, card)
        shade = tuple(pick.randrange(60, 230) for _ in range(3))
        fill(canvas, width, height, width // 16, top + row // 6, row // 2, row // 2, shade)
        left = width // 16 + row // 2 + width // 32
        for line in range(2):
            x, y = left, top + row // 5 + line * row // 4
            for _ in range(4):
                long = pick.randrange(width // 30, width // 9)
                fill(canvas, width, height, x, y, long, row // 10, ink)
                x += long + width // 80
        top += row
    return canvas


def fill(canvas, width, height, x, y, wide, high, colour):
    """One rectangle, cut to the canvas."""
    left, right = max(0, int(x)), min(width, int(x + wide))
    if right <= left:
        return
    line = bytes(colour) * (right - left)
    for row in range(max(0, int(y)), min(height, int(y + high))):
        at = (row * width + left) * 3
        canvas[at : at + len(line)] = line


class Device:
    def __init__(self, options, log):
        self.options = options
        self.log = log
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.outer = options.outer
        self.inner = options.size
        self.turn = 0
        self.posture = 3 if self.outer else 0
        self.awake = True
        self.dark = False
        self.page = "home"
        self.marks = []  # (x, y, colour) in the natural panel's pixels of the screen shown
        self.contacts = {}
        self.clipboard = ""
        self.typed = ""
        self.app_upright = False
        self.gps = {"latitude": 37.422, "longitude": -122.084, "altitude": 5.0, "satellites": 0}
        self.battery = {"hasBattery": True, "isPresent": True, "charger": 1, "chargeLevel": 100, "health": 0, "status": 4}
        self.seq = 0
        self.posted_us = 0
        self.busy_fps = 0
        self.strips = {}
        self.scenes = {}
        self.zero = False
        self.hung = False
        self.slow_ms = 0
        self.tear = False
        self.refuse_mmap = options.refuse_mmap
        self.need_bytes = 0
        self.stream_epoch = 0
        self.scroll = 0
        self.listeners = []
        self.canvas = None
        self.post()

    # What the person sees.

    def panel(self):
        """The panel shown now, upright."""
        return self.outer if self.outer and self.posture == 1 else self.inner

    def picture_size(self):
        width, height = self.panel()
        return (height, width) if self.turn in (90, -90) else (width, height)

    def to_picture(self, x, y):
        """From the shown panel's upright pixels to the picture, which is turned as the device is held."""
        width, height = self.panel()
        if self.turn == 90:
            return y, width - 1 - x
        if self.turn == -90:
            return height - 1 - y, x
        if abs(self.turn) == 180:
            return width - 1 - x, height - 1 - y
        return x, y

    def from_touch(self, x, y):
        """A touch's pixels to the shown panel's. The touch screen is the inner panel, stretched onto whichever shows."""
        if self.options.touch_space == "oriented":
            width, height = self.panel()
            if self.turn == 90:
                return width - 1 - y, x
            if self.turn == -90:
                return y, height - 1 - x
            if abs(self.turn) == 180:
                return width - 1 - x, height - 1 - y
            return x, y
        shown = self.panel()
        return x * shown[0] // self.inner[0], y * shown[1] // self.inner[1]

    def frame(self):
        """The newest picture's bytes: (memoryview, width, height)."""
        width, height = self.picture_size()
        if self.busy_fps:
            strip = self.strip(width, height)
            at = (self.scroll % height) * width * 3
            return memoryview(strip)[at : at + width * height * 3], width, height
        return memoryview(self.canvas), width, height

    def strip(self, width, height):
        """Two screens of one long list, for scrolling."""
        key = (width, height)
        if key not in self.strips:
            page = build_scene(width, height, self.dark, "app")
            self.strips[key] = bytes(page + page)
        return self.strips[key]

    def draw(self):
        width, height = self.picture_size()
        key = (width, height, self.dark, self.page)
        if key not in self.scenes:
            self.scenes[key] = bytes(build_scene(width, height, self.dark, self.page))
        canvas = bytearray(self.scenes[key])
        for x, y, colour in self.marks:
            u, v = self.to_picture(x, y)
            fill(canvas, width, height, u - MARK_RADIUS, v - MARK_RADIUS, 2 * MARK_RADIUS + 1, 2 * MARK_RADIUS + 1, colour)
        self.canvas = canvas

    def post(self, *, draw=True):
        """A frame event. Real devices also post without a change."""
        with self.changed:
            if draw and not self.busy_fps:
                self.draw()
            self.seq += 1
            self.posted_us = time.time_ns() // 1000
            self.changed.notify_all()

    def run_busy(self, fps):
        """Scrolls at this rate from a thread of its own until another rate is set."""
        with self.changed:
            self.busy_fps = fps
        if not fps:
            self.post()
            return

        def scroll():
            due = time.monotonic()
            while self.busy_fps == fps:
                with self.changed:
                    self.scroll += 24
                self.post(draw=False)
                due += 1 / fps
                time.sleep(max(0, due - time.monotonic()))

        threading.Thread(target=scroll, daemon=True).start()

    # What is done to it.

    def touch(self, touches):
        with self.changed:
            for touch in touches:
                colour = CONTACT_COLOURS[touch.identifier % len(CONTACT_COLOURS)]
                if touch.pressure == 0:
                    self.contacts.pop(touch.identifier, None)
                    continue
                x, y = self.from_touch(touch.x, touch.y)
                self.contacts[touch.identifier] = (x, y)
                self.marks.append((x, y, colour))
            del self.marks[:-60]
            self.post()

    def key(self, name, down):
        if not down:
            return
        pages = {"GoHome": "home", "GoBack": "home", "AppSwitch": "recents", "Enter": "app"}
        if name in pages:
            self.show(pages[name])
        elif name == "Power":
            self.sleep(self.awake)
        elif name == "Paste":
            self.typed += self.clipboard
            self.log("pasted", text=self.clipboard)
        elif len(name) == 1:
            self.typed += name

    def show(self, page):
        with self.changed:
            self.page = page
            self.marks = []
            self.post()

    def sleep(self, asleep):
        with self.changed:
            self.awake = not asleep
            self.zero = asleep
            self.post()

    def set_turn(self, degrees):
        with self.changed:
            self.turn = {-180: 180}.get(degrees, degrees)
            self.post()

    def set_posture(self, value):
        if not self.outer or value not in (1, 2, 3):
            return False
        with self.changed:
            self.posture = value
            self.marks = []
            self.post()
        self.tell("posture", value)
        return True

    def set_dark(self, dark):
        with self.changed:
            self.dark = dark
            self.strips = {}
            self.post()

    def set_clipboard(self, text, by):
        with self.changed:
            self.clipboard = text
        self.tell("clipboard", text if by == "device" else None)

    def tell(self, kind, value):
        for listener in list(self.listeners):
            listener(kind, value)

    def png(self, width, height):
        """The picture as PNG within a box of this size (0: its own size)."""
        import struct
        import zlib

        data, wide, high = self.frame()
        if width and height and (width < wide or height < high):
            data, wide, high = shrink(data, wide, high, min(width / wide, height / high))
        rows = bytearray()
        for row in range(high):
            rows += b"\0" + data[row * wide * 3 : (row + 1) * wide * 3]

        def chunk(name, body):
            return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

        header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
        body = zlib.compress(bytes(rows), 1)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""), wide, high


def shrink(data, width, height, factor):
    """Nearest pixels; enough for a peer."""
    wide, high = max(1, int(width * factor)), max(1, int(height * factor))
    columns = [int(x / factor) * 3 for x in range(wide)]
    out = bytearray()
    for row in range(high):
        at = int(row / factor) * width * 3
        line = data[at : at + width * 3]
        for column in columns:
            out += line[column : column + 3]
    return memoryview(bytes(out)), wide, high
