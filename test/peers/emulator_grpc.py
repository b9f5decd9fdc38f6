"""EmulatorController on grpc-core, the stack the real emulator uses. Every call is logged; the token is asked of each."""
import mmap
import os
import queue
import time
from concurrent import futures

import grpc
from google.protobuf import empty_pb2
from google.protobuf.json_format import MessageToDict

from emulator_device import shrink

# The wait between looks at the frame counter, as the real one's.
FRAME_WAIT_SECONDS = 0.125
QUIET = {"getScreenshot", "getStatus", "getClipboard", "getGps", "getBattery", "getPhysicalModel"}


class Guard(grpc.ServerInterceptor):
    """Refuses a call without the token, and calls that are not on the allow-list."""

    def __init__(self, options, log):
        self.token = options.token
        self.denied = set(options.deny)
        self.log = log

    def intercept_service(self, continuation, details):
        name = details.method.rsplit("/", 1)[1]
        given = dict(details.invocation_metadata).get("authorization")
        if self.token and given != f"Bearer {self.token}":
            return self.refuse(name, grpc.StatusCode.UNAUTHENTICATED, "no valid token")
        if name in self.denied:
            return self.refuse(name, grpc.StatusCode.PERMISSION_DENIED, f"{name} is not on the allow-list")
        return continuation(details)

    def refuse(self, name, code, words):
        self.log("refused", method=name, code=code.name)

        def unary(_request, context):
            context.abort(code, words)

        def stream(_request, context):
            context.abort(code, words)
            yield

        if name.startswith("stream"):
            return grpc.unary_stream_rpc_method_handler(stream)
        return grpc.unary_unary_rpc_method_handler(unary)


def service(messages, services, device, log):
    """The servicer class's one object; a function because its base is made at run time."""
    empty = empty_pb2.Empty()

    def called(name, request, context, **more):
        body = {} if request is None else MessageToDict(request, preserving_proto_field_name=True)
        log("call", method=name, body=body, peer=context.peer(), **more)

    class Controller(services.EmulatorControllerServicer):
        def getStatus(self, request, context):
            called("getStatus", None, context)
            status = messages.EmulatorStatus(version="37.2.12.0 (build_id 15507667)", uptime=int(time.monotonic() * 1000), booted=True)
            status.hardwareConfig.entry.add(key="hw.lcd.width", value=str(device.inner[0]))
            status.hardwareConfig.entry.add(key="hw.lcd.height", value=str(device.inner[1]))
            return status

        # Pictures.

        def image(self, request, *, transport=None):
            """An Image with its format filled in, its pixels left to the caller."""
            reply = messages.Image(seq=device.seq, timestampUs=device.posted_us)
            reply.format.format = request.format
            if transport:
                reply.format.transport.CopyFrom(transport)
            if device.zero:
                return reply, None
            data, width, height = device.frame()
            if request.width and request.height and (request.width < width or request.height < height):
                data, width, height = shrink(data, width, height, min(request.width / width, request.height / height))
            reply.format.width, reply.format.height = width, height
            reply.width, reply.height = width, height
            reply.format.rotation.rotation = messages.Rotation.SkinRotation.Value(
                {0: "PORTRAIT", 90: "LANDSCAPE", 180: "REVERSE_PORTRAIT", -90: "REVERSE_LANDSCAPE"}[device.turn]
            )
            if device.outer and device.posture == 1:
                reply.format.foldedDisplay.width, reply.format.foldedDisplay.height = device.outer
            return reply, data

        def getScreenshot(self, request, context):
            called("getScreenshot", request, context)
            if device.slow_ms:
                time.sleep(device.slow_ms / 1000)
            with device.changed:
                if request.format == messages.ImageFormat.PNG and not device.zero:
                    reply, _ = self.image(request)
                    reply.image, reply.format.width, reply.format.height = device.png(request.width, request.height)
                    return reply
                reply, data = self.image(request)
                if data is not None:
                    reply.image = bytes(data)
                return reply

        def streamScreenshot(self, request, context):
            called("streamScreenshot", request, context)
            region = None
            wants = request.transport.channel == messages.ImageTransport.MMAP
            if wants and not device.refuse_mmap:
                region = self.open_region(request, context)
            mmap_ms = 0
            if region is not None:
                waits = device.options.mmap_ms
                mmap_ms = waits.pop(0) if len(waits) > 1 else waits[0]
            epoch, last = device.stream_epoch, None
            try:
                while context.is_active():
                    with device.changed:
                        if device.seq == last or device.hung:
                            device.changed.wait(FRAME_WAIT_SECONDS)
                        if device.stream_epoch != epoch:
                            context.abort(grpc.StatusCode.UNAVAILABLE, "the stream was ended")
                        if device.seq == last or device.hung:
                            continue
                        last = device.seq
                        need = device.need_bytes
                        reply, data = self.image(request, transport=request.transport if region else None)
                    if device.slow_ms or mmap_ms:
                        time.sleep((device.slow_ms + mmap_ms) / 1000)
                    if data is None:
                        yield reply
                        continue
                    if region is not None:
                        if len(region) < max(need, len(data)):
                            context.abort(
                                grpc.StatusCode.FAILED_PRECONDITION,
                                f"Shared memory region is too small, needs size of at least {max(need, len(data))}",
                            )
                        self.write(region, data)
                    else:
                        reply.image = bytes(data)
                    yield reply
            finally:
                log("stream-ended", mmap=region is not None)
                if region is not None:
                    region.close()

        def open_region(self, request, context):
            """The client's file, mapped: the literal prefix is cut off, nothing is decoded."""
            handle = request.transport.handle
            if device.options.fail_mmap:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "shared memory is not supported here")
            if not handle.startswith("file://"):
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "this peer takes file:// handles only")
            path = handle[len("file://") :]
            try:
                with open(path, "r+b") as file:
                    log("region", path=path, bytes=os.fstat(file.fileno()).st_size, mode=oct(os.fstat(file.fileno()).st_mode & 0o777))
                    return mmap.mmap(file.fileno(), 0)
            except (OSError, ValueError) as error:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"cannot map {path}: {error}")

        def write(self, region, data):
            """Straight into the mapping, no lock; torn on request: the halves apart, and a message after the whole only."""
            if device.tear:
                half = len(data) // 2
                region[:half] = data[:half]
                time.sleep(0.004)
                region[half : len(data)] = data[half:]
            else:
                region[: len(data)] = data

        # Touch and keys.

        def sendTouch(self, request, context):
            touches = [{"x": t.x, "y": t.y, "identifier": t.identifier, "pressure": t.pressure} for t in request.touches]
            raw = request.SerializeToString(deterministic=True).hex()
            called("sendTouch", None, context, touches=touches, raw=raw, atMs=time.monotonic() * 1000)
            device.touch(request.touches)
            log("contacts", down=sorted(device.contacts))
            return empty

        def sendKey(self, request, context):
            called("sendKey", request, context)
            if request.eventType != messages.KeyboardEvent.keyup:
                device.key(request.key, True)
            return empty

        def streamInputEvent(self, requests, context):
            for request in requests:
                kind = request.WhichOneof("type")
                called("streamInputEvent", request, context)
                if kind == "touch_event":
                    device.touch(request.touch_event.touches)
                elif kind == "key_event" and request.key_event.eventType != messages.KeyboardEvent.keyup:
                    device.key(request.key_event.key, True)
            return empty

        # The rest.

        def setClipboard(self, request, context):
            called("setClipboard", request, context)
            device.set_clipboard(request.text, "host")
            return empty

        def getClipboard(self, request, context):
            called("getClipboard", None, context)
            return messages.ClipData(text=device.clipboard)

        def streamClipboard(self, request, context):
            return self.follow(context, {"clipboard"}, lambda _kind, text: messages.ClipData(text=text) if text is not None else None)

        def streamNotification(self, request, context):
            def notice(_kind, value):
                note = messages.Notification()
                note.posture.value = value
                return note

            return self.follow(context, {"posture"}, notice)

        def follow(self, context, kinds, make):
            told = queue.Queue()
            listener = lambda kind, value: kind in kinds and told.put((kind, value))
            device.listeners.append(listener)
            try:
                while context.is_active():
                    try:
                        message = make(*told.get(timeout=FRAME_WAIT_SECONDS))
                    except queue.Empty:
                        continue
                    if message is not None:
                        yield message
            finally:
                device.listeners.remove(listener)

        def setPhysicalModel(self, request, context):
            called("setPhysicalModel", request, context)
            if request.target == messages.PhysicalModelValue.ROTATION:
                z = round(request.value.data[2] / 90) * 90
                device.set_turn(180 if abs(z) == 180 else z)
            return empty

        def getPhysicalModel(self, request, context):
            called("getPhysicalModel", request, context)
            reply = messages.PhysicalModelValue(target=request.target)
            if request.target == messages.PhysicalModelValue.ROTATION:
                reply.value.data.extend([0, 0, device.turn])
            elif request.target == messages.PhysicalModelValue.POSTURE:
                reply.value.data.append(device.posture)
            return reply

        def setPosture(self, request, context):
            called("setPosture", request, context)
            device.set_posture(request.value)
            return empty

        def setGps(self, request, context):
            called("setGps", request, context)
            device.gps = {"latitude": request.latitude, "longitude": request.longitude, "altitude": request.altitude, "satellites": request.satellites}
            return empty

        def getGps(self, request, context):
            called("getGps", None, context)
            return messages.GpsState(passiveUpdate=True, **device.gps)

        def setBattery(self, request, context):
            called("setBattery", request, context)
            device.battery = {field: getattr(request, field) for field in device.battery}
            return empty

        def getBattery(self, request, context):
            called("getBattery", None, context)
            return messages.BatteryState(**device.battery)

        def getDisplayConfigurations(self, request, context):
            called("getDisplayConfigurations", None, context)
            reply = messages.DisplayConfigurations(maxDisplays=3)
            reply.displays.add(width=device.inner[0], height=device.inner[1], dpi=device.options.density)
            return reply

        def getVmState(self, request, context):
            return messages.VmRunState(state=messages.VmRunState.RUNNING)

    return Controller()


def serve(messages, services, device, guard, log, address):
    """Starts; answers (server, port)."""
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=32),
        interceptors=[guard],
        # Two emulators on one port would each be answered by the other.
        options=[("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)],
    )
    services.add_EmulatorControllerServicer_to_server(service(messages, services, device, log), server)
    port = server.add_insecure_port(address)
    server.start()
    return server, port
