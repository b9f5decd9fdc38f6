/** The emulator's control service over one HTTP/2 connection that is held open. */
import { create, fromBinary, toBinary, type DescMethod, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Client, credentials, Metadata, status, type ClientReadableStream, type ServiceError } from "@grpc/grpc-js";

import { DeviceError } from "#core/errors.ts";

import { EmulatorController, ImageFormatSchema, type ImageFormat } from "./generated/emulator_controller_pb.js";

/** A native frame is 7.8 MB and more; the library's own limit is 4 MiB and its window 64 KiB, which costs a frame 120 round trips. */
const MESSAGE_LIMIT_BYTES = 64 * 1024 * 1024;
const WINDOW_BYTES = 16 * 1024 * 1024;
const UNARY_TIMEOUT_MS = 5_000;

export interface Endpoint {
  readonly port: number;
  readonly token: string | null;
}

/** One picture as the stream tells it; `pixels` are empty when they are in the mapping. */
export interface Picture {
  readonly format: ImageFormat | null;
  readonly pixels: Uint8Array;
  readonly seq: number;
  readonly timestampUs: bigint;
}

export type ChannelFailure = "unauthenticated" | "denied" | "unavailable" | "precondition" | "unimplemented" | "other";

/** What a call failed with; `details` are the emulator's own words. */
export class ChannelError extends Error {
  readonly failure: ChannelFailure;
  readonly details: string;
  constructor(failure: ChannelFailure, method: string, details: string, options?: ErrorOptions) {
    super(`${method}: ${details}`, options);
    this.name = "ChannelError";
    this.failure = failure;
    this.details = details;
  }
}

export interface PictureStream {
  /** Ends the call; no further event comes. */
  stop(): void;
}

export interface PictureEvents {
  picture(picture: Picture): void;
  /** The stream is over; null when the emulator ended it without an error. */
  ended(error: ChannelError | null): void;
}

type Methods = typeof EmulatorController.method;
type UnaryName = { [K in keyof Methods]: Methods[K]["methodKind"] extends "unary" ? K : never }[keyof Methods];

export class Channel {
  readonly #endpoint: Endpoint;
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#client = new Client(`127.0.0.1:${endpoint.port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": MESSAGE_LIMIT_BYTES,
      "grpc-node.flow_control_window": WINDOW_BYTES,
      // A proxy in the environment must never see a loopback call and its token.
      "grpc.enable_http_proxy": 0,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_retries": 0,
      "grpc.client_idle_timeout_ms": 2_147_483_647,
      "grpc.initial_reconnect_backoff_ms": 50,
      "grpc.max_reconnect_backoff_ms": 500,
      "grpc.service_config_disable_resolution": 1,
    });
    if (endpoint.token !== null) this.#metadata.set("authorization", `Bearer ${endpoint.token}`);
  }

  /** A second connection to the same emulator, so that raw frames never stand before a touch. */
  another(): Channel {
    return new Channel(this.#endpoint);
  }

  /** One call. Rejects with ChannelError. */
  call<K extends UnaryName>(
    name: K,
    request: MessageInitShape<Methods[K]["input"]>,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<MessageShape<Methods[K]["output"]>> {
    const method: DescMethod = EmulatorController.method[name];
    return this.#unary(method, toBinary(method.input, create(method.input, request)), options).then(
      (bytes) => fromBinary(method.output, bytes) as MessageShape<Methods[K]["output"]>,
    );
  }

  /** One picture whole, in the format asked for, without decoding its pixels again. */
  async screenshot(request: MessageInitShape<typeof ImageFormatSchema>, timeoutMs = UNARY_TIMEOUT_MS): Promise<Picture> {
    const method = EmulatorController.method.getScreenshot;
    return readPicture(await this.#unary(method, toBinary(ImageFormatSchema, create(ImageFormatSchema, request)), { timeoutMs }));
  }

  /** Every picture from now on. It is never paused: a paused stream makes the emulator keep old frames and play them late. */
  pictures(request: MessageInitShape<typeof ImageFormatSchema>, events: PictureEvents): PictureStream {
    const method = EmulatorController.method.streamScreenshot;
    return this.#stream(
      method,
      toBinary(ImageFormatSchema, create(ImageFormatSchema, request)),
      (bytes) => events.picture(readPicture(bytes)),
      events.ended,
    );
  }

  /** What the device copies to its clipboard. */
  clipboards(events: { text(text: string): void; ended(error: ChannelError | null): void }): PictureStream {
    const method = EmulatorController.method.streamClipboard;
    return this.#stream(method, new Uint8Array(0), (bytes) => events.text(fromBinary(method.output, bytes).text), events.ended);
  }

  close(): void {
    this.#client.close();
  }

  #unary(
    method: DescMethod,
    body: Uint8Array,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        pathOf(method),
        passBuffer,
        passBuffer,
        Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        this.#metadata,
        { deadline: Date.now() + (options.timeoutMs ?? UNARY_TIMEOUT_MS) },
        (error, reply) => {
          options.signal?.removeEventListener("abort", cancel);
          if (error !== null) reject(failureOf(method, error));
          else resolve(reply ?? new Uint8Array(0));
        },
      );
      const cancel = () => call.cancel();
      options.signal?.addEventListener("abort", cancel, { once: true });
      if (options.signal?.aborted === true) cancel();
    });
  }

  #stream(
    method: DescMethod,
    body: Uint8Array,
    data: (bytes: Uint8Array) => void,
    ended: (error: ChannelError | null) => void,
  ): PictureStream {
    const call: ClientReadableStream<Buffer> = this.#client.makeServerStreamRequest(
      pathOf(method),
      passBuffer,
      passBuffer,
      Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      this.#metadata,
    );
    let over = false;
    const end = (error: ChannelError | null) => {
      if (over) return;
      over = true;
      ended(error);
    };
    call.on("data", (bytes: Buffer) => {
      if (!over) data(bytes);
    });
    call.on("error", (error: ServiceError) => end(failureOf(method, error)));
    call.on("end", () => end(null));
    return {
      stop: () => {
        over = true;
        call.cancel();
      },
    };
  }
}

/** Bytes stay bytes: the library's codec would copy each frame. */
function passBuffer(bytes: Buffer): Buffer {
  return bytes;
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function failureOf(method: DescMethod, error: ServiceError): ChannelError {
  const kinds: Partial<Record<status, ChannelFailure>> = {
    [status.UNAUTHENTICATED]: "unauthenticated",
    [status.PERMISSION_DENIED]: "denied",
    [status.UNAVAILABLE]: "unavailable",
    [status.DEADLINE_EXCEEDED]: "unavailable",
    [status.FAILED_PRECONDITION]: "precondition",
    [status.UNIMPLEMENTED]: "unimplemented",
  };
  return new ChannelError(kinds[error.code] ?? "other", method.name, error.details, { cause: error });
}

/** Image, with its pixels left where they are in the message. */
function readPicture(bytes: Uint8Array): Picture {
  const reader = new BinaryReader(bytes);
  let format: ImageFormat | null = null;
  let pixels: Uint8Array = new Uint8Array(0);
  let seq = 0;
  let timestampUs = 0n;
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1 && wire === WireType.LengthDelimited) format = fromBinary(ImageFormatSchema, reader.bytes());
    else if (field === 4 && wire === WireType.LengthDelimited) pixels = reader.bytes();
    else if (field === 5 && wire === WireType.Varint) seq = reader.uint32();
    else if (field === 6 && wire === WireType.Varint) timestampUs = BigInt(reader.uint64());
    else reader.skip(wire, field);
  }
  return { format, pixels, seq, timestampUs };
}

/** A failed call as the words a person reads. */
export function deviceError(error: unknown, doing: string): DeviceError {
  if (error instanceof DeviceError) return error;
  if (error instanceof ChannelError) {
    const words: Record<ChannelFailure, string> = {
      unauthenticated: "the emulator did not take the token",
      denied: "the emulator's allow-list does not permit it",
      unavailable: "the emulator did not answer",
      precondition: error.details,
      unimplemented: "this emulator version has no such call",
      other: error.details,
    };
    return new DeviceError(
      error.failure === "denied" || error.failure === "unimplemented" ? "unsupported" : "failed",
      `Could not ${doing}: ${words[error.failure]}.`,
      {
        cause: error,
      },
    );
  }
  return new DeviceError("failed", `Could not ${doing}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
