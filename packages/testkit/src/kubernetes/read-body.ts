import type { IncomingMessage } from "node:http";
import { readJson } from "./json.ts";
import { badRequest, StatusError } from "./status.ts";

/** What API servers take at most. */
const maxBytes = 3 * 1024 * 1024;

/** The JSON body of a request; undefined when there is none. @throws StatusError */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new StatusError(413, "RequestEntityTooLarge", "request body is too large");
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  const text = new TextDecoder().decode(concat(chunks, size));
  try {
    return readJson(text);
  } catch {
    throw badRequest(`the body is not JSON: ${text.slice(0, 60)}`);
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
