"""The emulator's messages for the peer: Google's published proto plus the fields newer emulators have, compiled by protoc.

Nothing generated is kept: each run compiles into a folder of its own, so the peer can never drift from its source.
Run by itself it writes a descriptor set, which a test compares with the product's own subset field by field:
    emulator_proto.py --proto FILE --descriptor OUT
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Each addition names the text it comes after; a source that no longer has that text is an error, not a silent skip.
ADDITIONS = [
    ("INTERNAL_ERROR = 10;", "RESTART = 11; START = 12; STOP = 13;"),
    ("message PhysicalModelValue {", "enum Interpolation { SMOOTH = 0; STEP = 1; } Interpolation interpolation = 4;"),
    ("EventExpiration expiration = 7;", "int32 orientation = 8;"),
    (
        "EntryList hardwareConfig = 5;",
        "uint64 heartbeat = 6; map<string, string> guestConfig = 7; map<string, string> platformConfig = 8;",
    ),
    (
        "displayConfigurationsChangedNotification = 3;",
        "Posture posture = 4; BootCompletedNotification booted = 5; BrightnessValue brightness = 6; "
        "TextViewFocusNotification textViewFocus = 7;",
    ),
    (
        "rpc setDisplayMode(DisplayMode) returns (google.protobuf.Empty) {}",
        "rpc streamInputEvent(stream InputEvent) returns (google.protobuf.Empty) {}",
    ),
]

MESSAGES = """
message BootCompletedNotification { int32 time = 1; }
message TextViewFocusNotification { bool textViewHasFocus = 1; int32 display = 2; }
message AndroidEvent { int32 type = 1; int32 code = 2; int32 value = 3; int32 display = 4; }
message Pen { Touch location = 1; bool button_pressed = 2; bool rubber_pointer = 3; }
message PenEvent { repeated Pen events = 1; int32 display = 2; }
message InputEvent {
  oneof type {
    KeyboardEvent key_event = 1;
    TouchEvent touch_event = 2;
    MouseEvent mouse_event = 3;
    AndroidEvent android_event = 4;
    PenEvent pen_event = 5;
    WheelEvent wheel_event = 6;
  }
}
"""


def patched(text: str) -> str:
    """The published proto with the newer fields; raises when a place to add one is gone."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for anchor, addition in ADDITIONS:
        if text.count(anchor) != 1:
            raise SystemExit(f"the published proto has {text.count(anchor)} of: {anchor}")
        text = text.replace(anchor, anchor + "\n" + addition)
    return text + MESSAGES


def compile_to(folder: str, source: str, *, python: bool) -> None:
    with open(source, encoding="utf-8") as file:
        text = patched(file.read())
    proto = os.path.join(folder, "emulator_controller.proto")
    with open(proto, "w", encoding="utf-8") as file:
        file.write(text)
    outputs = [f"--descriptor_set_out={os.path.join(folder, 'descriptor.pb')}", "--include_imports"]
    if python:
        outputs += [
            f"--python_out={folder}",
            f"--grpc_python_out={folder}",
            "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin",
        ]
    subprocess.run(["protoc", f"-I{folder}", "-I/usr/include", *outputs, proto], check=True)


def load(source: str):
    """Compiles and imports; answers (messages, services)."""
    with tempfile.TemporaryDirectory(prefix="emulator-proto-") as folder:
        compile_to(folder, source, python=True)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        import emulator_controller_pb2 as messages
        import emulator_controller_pb2_grpc as services

        sys.path.remove(folder)
        return messages, services


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--proto", required=True)
    parser.add_argument("--descriptor", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="emulator-proto-") as folder:
        compile_to(folder, options.proto, python=False)
        shutil.move(os.path.join(folder, "descriptor.pb"), options.descriptor)
