import type { IncomingMessage, ServerResponse } from "node:http";

/** What the adapter tells a handler beside the request. */
export interface RequestEnvironment {
  /** The body was larger than allowed and is not there. */
  readonly bodyTooLarge: boolean;
}

/** A web-standard handler, such as a hono app's `fetch`. */
export type FetchHandler = (
  request: Request,
  environment: RequestEnvironment,
) => Response | Promise<Response>;

/** What {@link handleWith} needs beside the message. */
export interface AdapterOptions {
  readonly handler: FetchHandler;
  readonly maxBodyBytes: number;
}

/** Bytes of the body in and out, for the server's own statistics. */
export interface Exchange {
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/**
 * Answers a `node:http` request with a web-standard handler: what works alike on Node, Deno and Bun.
 * The request's signal aborts when the client goes away; a streamed body waits for a slow client.
 */
export async function handleWith(
  options: AdapterOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<Exchange> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const body = await readBody(message, options.maxBodyBytes);
  const bodyTooLarge = body === undefined;
  if (bodyTooLarge) response.setHeader("connection", "close");
  const answer = await options.handler(toRequest(message, body, gone.signal), { bodyTooLarge });
  const responseBytes = await writeAnswer(answer, response, gone.signal);
  return { requestBytes: body?.length ?? 0, responseBytes };
}

/** The whole body, or `undefined` when it is larger than `limit` bytes; the rest is then discarded. */
async function readBody(message: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const tooLarge = Number(message.headers["content-length"] ?? 0) > limit;
  if (!tooLarge)
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit) break;
      chunks.push(chunk);
    }
  if (tooLarge || size > limit) {
    message.resume();
    return undefined;
  }
  return Buffer.concat(chunks);
}

function toRequest(
  message: IncomingMessage,
  body: Buffer | undefined,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2)
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "");
  const method = message.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD" && body !== undefined && body.length > 0;
  // the host is of no interest to any route, and clients may send anything as it
  return new Request(new URL(message.url ?? "/", "http://sim.invalid"), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

/** Bytes written. */
async function writeAnswer(
  answer: Response,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<number> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const reader = answer.body?.getReader();
  let written = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    if (gone.aborted) {
      await reader.cancel();
      break;
    }
    written += value.length;
    if (!response.write(value)) await drained(response);
  }
  response.end();
  return written;
}

/** Until there is room again, or nobody is listening any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
