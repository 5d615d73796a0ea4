import { Buffer } from "node:buffer";
import type { ClientRequest, IncomingMessage } from "node:http";
import { MusterError } from "@muster/core";
import type { AbortHub } from "./abort-hub.ts";
import type { ConnectionCount } from "./connection-count.ts";
import { isIdentity, tooLarge } from "./inflate.ts";
import { codeOf, networkError, type Phase } from "./network-error.ts";
import type { TransportRequest } from "./transport.ts";

/** As much of an answer other than 200 as is read. */
const maxErrorBytes = 16 * 1024;

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  /** `undefined`: none. */
  readonly encoding: string | undefined;
  readonly body: Uint8Array;
}

interface Settle {
  resolve(answer: Answer | undefined): void;
  reject(error: MusterError): void;
}

/** What an exchange needs beside the request. */
export interface ExchangeOptions {
  readonly url: string;
  readonly hub: AbortHub;
  /** ms left of the request's time-out. */
  readonly timeout: number;
  /** Starts the request. */
  open(onAnswer: (answer: IncomingMessage) => void): ClientRequest;
  readonly connections: ConnectionCount;
}

/**
 * One request and its answer. Whatever happens, it settles once, and its connection is either back with
 * the agent, its answer read to the end, or closed.
 */
export class Exchange {
  readonly #request: TransportRequest;
  readonly #options: ExchangeOptions;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #phase: Phase = "connecting";
  #client: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #settle: Settle | undefined;
  #release: (() => void) | undefined;

  constructor(request: TransportRequest, options: ExchangeOptions) {
    this.#request = request;
    this.#options = options;
  }

  /** Resolves to nothing when the server closed the kept connection before it saw the request. */
  run(): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#request;
      this.#settle = { resolve, reject };
      if (signal.aborted) return this.#abort();
      const unwatch = this.#options.hub.watch(signal, () => this.#abort());
      const timer = setTimeout(() => this.#timeOut(), this.#options.timeout);
      this.#release = () => {
        clearTimeout(timer);
        unwatch();
      };
      this.#start();
    });
  }

  #start(): void {
    try {
      const client = this.#options.open((answer) => this.#onAnswer(answer));
      this.#client = client;
      client.on("error", (error) => this.#onError(error));
      client.on("close", () => this.#onClose());
      client.end();
    } catch (error) {
      // a look-up that answers at once, or a header that may not be sent
      this.#onError(error);
    }
  }

  #onAnswer(answer: IncomingMessage): void {
    this.#phase = "reading";
    this.#answer = answer;
    this.#options.connections.meet(answer.socket, this.#request.target);
    answer.on("error", (error) => this.#onError(error));
    const { maxBodyBytes } = this.#request;
    if (answer.statusCode === 200 && Number(answer.headers["content-length"]) > maxBodyBytes) {
      this.#fail(tooLarge(this.#options.url, maxBodyBytes));
      return;
    }
    answer.on("data", (chunk: Uint8Array) => this.#onData(chunk));
    answer.on("end", () => this.#onEnd());
  }

  #onData(chunk: Uint8Array): void {
    if (this.#settle === undefined) return;
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    const { maxBodyBytes } = this.#request;
    if (this.#answer?.statusCode !== 200) {
      if (this.#size <= maxErrorBytes) return;
      this.#succeed();
      this.#client?.destroy();
    } else if (this.#size > maxBodyBytes) this.#fail(tooLarge(this.#options.url, maxBodyBytes));
  }

  #onEnd(): void {
    if (this.#answer?.complete === true) this.#succeed();
    else this.#onClose();
  }

  #onError(error: unknown): void {
    // rubbish after a complete answer spoils the connection, not the answer
    if (this.#answer?.complete === true) return;
    const stale =
      this.#phase === "connecting" && this.#options.connections.knows(this.#client?.socket);
    if (stale && isReset(error)) this.#finish()?.resolve(undefined);
    else this.#fail(networkError(error, this.#options.url, this.#phase));
  }

  #onClose(): void {
    if (this.#settle !== undefined && this.#answer?.complete !== true)
      this.#onError(new Error(`connection closed after ${this.#size} bytes of the page`));
  }

  #succeed(): void {
    const answer = this.#answer;
    const body = this.#body();
    const settle = this.#finish();
    if (answer === undefined || settle === undefined) return;
    const { headers, statusCode: status = 0 } = answer;
    const encoding = headers["content-encoding"];
    settle.resolve({
      status,
      contentType: headers["content-type"],
      location: headers.location,
      encoding: isIdentity(encoding) ? undefined : encoding,
      body,
    });
  }

  #body(): Uint8Array {
    const [first, ...rest] = this.#chunks;
    if (first === undefined || rest.length > 0) return Buffer.concat(this.#chunks, this.#size);
    return first;
  }

  #fail(error: MusterError): void {
    const settle = this.#finish();
    this.#client?.destroy();
    settle?.reject(error);
  }

  #timeOut(): void {
    const { url } = this.#options;
    const { timeout } = this.#request;
    const what =
      this.#phase === "reading" ? `${this.#size} bytes, but not all of the page,` : "no answer";
    const message = `${url}: ${what} within ${timeout} ms`;
    this.#fail(new MusterError("SCRAPE_TIMEOUT", message, { path: url }));
  }

  #abort(): void {
    const { url } = this.#options;
    const message = `${url}: stopped, since the endpoint was removed or polling ended`;
    const { reason } = this.#request.signal;
    this.#fail(new MusterError("SCRAPE_ABORTED", message, { path: url, cause: reason }));
  }

  #finish(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#release?.();
    // an exchange may outlive its page by far: what is over is found by the next full collection only
    this.#chunks = [];
    return settle;
  }
}

function isReset(error: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}
