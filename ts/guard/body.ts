/** Bodies with a bound. */
import type { IncomingMessage } from "node:http";
import { refuse, type Refusal } from "./guard.ts";

export type Body = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal };

/** A request's JSON, at most `limitBytes`; longer is refused without being kept. Rejects only when the connection ends first. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<Body> {
  const tooLarge: Body = {
    ok: false,
    refusal: refuse(413, "too-large", `The body is larger than ${limitBytes} bytes, the most that is taken here.`),
  };
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) as unknown };
  } catch {
    return { ok: false, refusal: refuse(400, "not-json", "The body is not JSON in UTF-8.") };
  }
}
