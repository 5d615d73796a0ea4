import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** An answer in place of the server's. */
export interface FakeAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  /** Pieces of the body. */
  readonly body: () => Iterable<string>;
  /** Leave the answer open at its end. */
  readonly open?: boolean;
}

/** A request as the tamperer sees it. */
export interface SeenRequest {
  readonly path: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** Somebody between a store and its server who answers some requests himself. */
export interface Tamperer extends AsyncDisposable {
  readonly port: number;
  readonly seen: readonly SeenRequest[];
}

/**
 * Starts one; what it does not answer goes on to `target`, if there is one. What is no HTTP/1 is hung up
 * on; with `onForeign` that is called instead, and its connection is left open.
 */
export async function startTamperer(
  target: { readonly port: number } | undefined,
  answer: (request: SeenRequest) => FakeAnswer | undefined,
  onForeign?: (connection: Duplex) => void,
): Promise<Tamperer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    const body = await text(request);
    const entry = { path, body, authorization: headers.authorization };
    seen.push(entry);
    const fake = answer(entry);
    if (fake !== undefined) send(response, fake);
    else if (target !== undefined) pass(request, response, { port: target.port, body });
    else response.destroy();
  });
  if (onForeign !== undefined)
    server.on("clientError", (_error, connection) => onForeign(connection));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, fake: FakeAnswer): void {
  const { status = 200, type = "application/json", headers = {}, body, open = false } = fake;
  response.writeHead(status, { "content-type": type, ...headers });
  // so that an answer without a body has begun
  response.flushHeaders();
  const pieces = Readable.from(body());
  response.on("close", () => pieces.destroy());
  pieces.pipe(response, { end: !open });
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { port, body }: { readonly port: number; readonly body: string },
): void {
  const { method, url: path, headers } = request;
  const onward = forward({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(body);
}
