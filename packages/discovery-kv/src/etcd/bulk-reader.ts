import { Buffer } from "node:buffer";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { type Clock, type Logger, messageOf } from "@muster/core";
import { onAbort } from "@muster/core/plane";
import type { Credentials } from "./credentials.ts";
import type { EndpointList } from "./endpoint.ts";
import { decodeRange, encodeRange, type OnRecord } from "./range-message.ts";
import type { TlsMaterial } from "./tls-material.ts";

/** Records asked for at once. */
const pageSize = 20_000;
/** Largest answer that is taken, bytes; the gateway's smaller pages are for what is larger. */
const maxBytes = 64 * 1024 * 1024;
/** How long it is left alone after it failed, ms. */
const rest = 60_000;

/** What {@link BulkReader} needs. */
export interface BulkReaderOptions {
  readonly endpoints: EndpointList;
  readonly tls: () => Promise<TlsMaterial>;
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** ms for everything that is read at once. */
  readonly timeout: number;
  /** Aborts when the store is closed. */
  readonly stopped: AbortSignal;
}

/** What to read: keys in base64, at one revision. */
export interface BulkRange {
  readonly key: string;
  readonly range_end: string;
  readonly revision: number;
}

/**
 * Reads many records by gRPC over HTTP/2, which costs etcd a sixth of what its gateway's JSON does.
 * Only a short cut: where it does not work, a proxy that speaks HTTP/1 alone for one, the gateway is
 * asked (ADR 0006).
 */
export class BulkReader {
  readonly #options: BulkReaderOptions;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(options: BulkReaderOptions) {
    this.#options = options;
  }

  /** @returns false when it did not work, or is not wanted any more; some records may have been given */
  async read(
    range: BulkRange,
    onRecord: OnRecord,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { clock, logger, timeout, stopped } = this.#options;
    if (clock.monotonic() < this.#notBefore) return false;
    let session: ClientHttp2Session | undefined;
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      session?.destroy();
    };
    const cancel = clock.schedule(stop, timeout);
    const unlink = [onAbort(signal, stop), onAbort(stopped, stop)];
    try {
      session = await this.#connect();
      // certificates may have taken all the time
      if (isOver) session.destroy();
      await this.#readPages(session, range, onRecord);
      return true;
    } catch (error) {
      // that says nothing of the next time
      if (stopped.aborted || signal?.aborted === true) return false;
      this.#notBefore = clock.monotonic() + rest;
      const fields = { store: "etcd", problem: messageOf(error) };
      logger.debug(fields, "reading by gRPC did not work: the JSON gateway is used");
      return false;
    } finally {
      cancel();
      for (const each of unlink) each();
      session?.destroy();
    }
  }

  async #connect(): Promise<ClientHttp2Session> {
    const { endpoints, tls } = this.#options;
    const { url, secure } = endpoints.current;
    const material = secure ? await tls() : {};
    const session = connect(url, { ...material, settings: { enablePush: false } });
    // whatever happens to it happens to its stream
    session.on("error", () => undefined);
    return session;
  }

  async #readPages(
    session: ClientHttp2Session,
    range: BulkRange,
    onRecord: OnRecord,
  ): Promise<void> {
    const token = await this.#options.credentials?.token();
    let { key } = range;
    for (;;) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/etcdserverpb.KV/Range",
        "content-type": "application/grpc",
        te: "trailers",
        ...(token !== undefined && { token }),
      });
      stream.end(frame(encodeRange({ ...range, key, limit: pageSize })));
      const { more, lastKey } = decodeRange(await readMessage(stream), onRecord);
      if (!more || lastKey === undefined) return;
      key = keyAfter(lastKey);
    }
  }
}

/** The smallest key beyond one, in base64. */
export function keyAfter(wire: string): string {
  return Buffer.concat([Buffer.from(wire, "base64"), Buffer.of(0)]).toString("base64");
}

/** One message of gRPC: not compressed, its length, itself. */
function frame(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The one message that answers a unary call. */
function readMessage(stream: ClientHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let status: unknown;
    const meet = (headers: { readonly [name: string]: unknown }): void => {
      status = headers["grpc-status"] ?? status;
    };
    stream.on("response", meet);
    stream.on("trailers", meet);
    stream.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxBytes) stream.destroy(new Error(`more than ${maxBytes} bytes`));
    });
    stream.on("error", reject);
    stream.on("close", () => {
      const bytes = Buffer.concat(chunks, size);
      const isWhole = size >= 5 && bytes[0] === 0 && bytes.readUInt32BE(1) === size - 5;
      if (String(status) === "0" && isWhole) resolve(bytes.subarray(5));
      else reject(new Error(`gRPC status ${String(status)}, ${size} bytes`));
    });
  });
}
