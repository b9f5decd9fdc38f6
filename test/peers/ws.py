"""A client of the device socket written from the protocol's text alone, on Debian's python3-websockets. Imports nothing of ours.

usage: ws.py SOCKET SCENARIO    prints one JSON line with what it saw
"""
import asyncio
import json
import struct
import sys
import uuid

import websockets


async def open_socket(path, query):
    return await websockets.unix_connect(path, uri="ws://device/device?" + query, compression=None, max_size=64 * 1024 * 1024)


async def text(socket):
    while True:
        message = await asyncio.wait_for(socket.recv(), 10)
        if isinstance(message, str):
            return message


async def hello(socket):
    verb, _, rest = (await text(socket)).partition(" ")
    assert verb == "BB_DEVICE_HELLO", verb
    return json.loads(rest)


async def answer(socket, ident):
    while True:
        verb, _, rest = (await text(socket)).partition(" ")
        if verb == "BB_DEVICE_ANSWER":
            value = json.loads(rest)
            if value["id"] == ident:
                return value


def unit(message):
    kind, picture, ident, y, width, generation = struct.unpack(">BBHHHH", message[:10])
    return {"kind": kind, "picture": picture, "id": ident, "y": y, "width": width, "generation": generation, "body": message[10:]}


def nal_types(body):
    types, at = [], 0
    while True:
        at = body.find(b"\x00\x00\x01", at)
        if at < 0 or at + 3 >= len(body):
            return types
        types.append(body[at + 3] & 31)
        at += 3


async def watch(path):
    socket = await open_socket(path, "role=viewer")
    said = await hello(socket)
    mode = await text(socket)
    units = []
    while len(units) < 1:
        message = await asyncio.wait_for(socket.recv(), 10)
        if isinstance(message, bytes):
            units.append(unit(message))
            await socket.send("CLIENT_FRAME_ACK %d" % units[-1]["id"])
    await socket.send("STOP_VIDEO")
    stopped = None
    while stopped != "VIDEO_STOPPED":
        stopped = await text(socket)
    await socket.send("START_VIDEO")
    started = None
    while started != "VIDEO_STARTED":
        started = await text(socket)
    while len(units) < 2:
        message = await asyncio.wait_for(socket.recv(), 10)
        if isinstance(message, bytes):
            units.append(unit(message))
    await socket.send("cw,aGVsbG8=")
    await socket.send("js,anything")
    await socket.send('BB_DEVICE {"id":"t","type":"tree"}')
    tree = await answer(socket, "t")
    await socket.close()
    return {
        "protocol": said["protocol"],
        "mode": mode,
        "units": [{k: v for k, v in u.items() if k != "body"} for u in units],
        "nals": [nal_types(u["body"]) for u in units],
        "generation": said["state"]["geometry"]["generation"],
        "elements": len(tree["elements"]),
    }


async def drive(path):
    control = await open_socket(path, "role=control&instance=%s&since=1" % uuid.uuid4())
    said = await hello(control)
    owner = said["owner"]["generation"] + 1
    await control.send("BB_DEVICE " + json.dumps({"id": "o", "type": "owner", "generation": owner, "holder": "agent"}))
    assert (await answer(control, "o"))["ok"]
    await control.send("BB_DEVICE " + json.dumps({"id": "r", "type": "control", "control": {"action": "rotate", "turn": "left"}, "owner": owner}))
    rotated = await answer(control, "r")
    await control.send("BB_DEVICE " + json.dumps({"id": "r", "type": "control", "control": {"action": "rotate", "turn": "left"}, "owner": owner}))
    again = await answer(control, "r")
    stale = {"type": "tap", "at": {"x": 1, "y": 1, "generation": said["state"]["geometry"]["generation"]}}
    await control.send("BB_DEVICE " + json.dumps({"id": "s", "type": "input", "input": stale, "owner": owner}))
    refused = await answer(control, "s")
    later = await open_socket(path, "role=control&instance=%s&since=2" % uuid.uuid4())
    await hello(later)
    superseded = None
    while superseded != "BB_DEVICE_SUPERSEDED {}":
        superseded = await text(control)
    try:
        while True:
            await asyncio.wait_for(control.recv(), 10)
    except websockets.ConnectionClosed as closed:
        code = closed.code if hasattr(closed, "code") else closed.rcvd.code
    await later.close()
    return {"orientation": rotated["state"]["geometry"]["physical"], "once": rotated == again, "stale": refused["error"]["code"], "code": code}


print(json.dumps(asyncio.run({"watch": watch, "drive": drive}[sys.argv[2]](sys.argv[1]))))
