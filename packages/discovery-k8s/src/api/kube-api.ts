import type { IncomingMessage } from "node:http";
import { type Clock, createPluginContext, MusterError, type PluginContext } from "@muster/core";
import type { Cluster } from "./cluster.ts";
import { KubeConnection, type KubeExchange, networkError } from "./connection.ts";
import { statusError } from "./kube-error.ts";
import { LineSplitter } from "./lines.ts";

/** Query parameters; undefined ones are left out. */
export type KubeQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request with one JSON answer. */
export interface KubeRequest {
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** Absolute, such as `/api/v1/pods`; parts are encoded already (see `resourcePath`). */
  readonly path: string;
  readonly query?: KubeQuery | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ms until KUBE_TIMEOUT; default 30,000. */
  readonly timeout?: number | undefined;
}

/** One request whose answer is a line of JSON after another. */
export interface KubeStreamRequest {
  readonly path: string;
  readonly query?: KubeQuery | undefined;
  readonly signal: AbortSignal;
  /** ms until the head of the answer must be there; default 30,000. */
  readonly timeout?: number | undefined;
  onOpen?(): void;
  onLine(line: string): void;
  /** A line was longer than allowed and is left out. */
  onTooLong?(): void;
}

/** The API of one Kubernetes cluster, as far as Muster needs it. */
export interface KubeApi {
  /** Where things are looked for when nothing else is said. */
  readonly namespace: string;
  /**
   * Sends a request; a 401 is tried once more with new credentials.
   *
   * @throws MusterError KUBE_…; the signal's reason when it aborts.
   */
  request<T>(request: KubeRequest): Promise<T>;
  /**
   * Follows a stream; resolves when the server ends it. Errors as with `request`; a connection that
   * breaks is KUBE_UNAVAILABLE.
   */
  stream(request: KubeStreamRequest): Promise<void>;
  /** Closes all connections; requests under way fail. */
  close(): void;
}

const defaultTimeout = 30_000;
/** Bytes of one answer: far above a page of 500 objects, far below the heap. */
const maxBody = 256 * 1024 * 1024;
/** Characters of one line of a stream: etcd takes objects up to 1.5 MiB. */
const maxLine = 8 * 1024 * 1024;
const maxErrorBody = 64 * 1024;

/** Makes the API of a cluster; nothing is contacted before the first request. */
export function createKubeApi(cluster: Cluster, given: Partial<PluginContext> = {}): KubeApi {
  return new HttpKubeApi(cluster, createPluginContext(given));
}

class HttpKubeApi implements KubeApi {
  readonly namespace: string;
  readonly #connection: KubeConnection;
  readonly #clock: Clock;

  constructor(cluster: Cluster, { clock }: PluginContext) {
    this.namespace = cluster.namespace;
    this.#connection = new KubeConnection(cluster);
    this.#clock = clock;
  }

  async request<T>(request: KubeRequest): Promise<T> {
    const deadline = this.#deadline(request);
    const exchange: KubeExchange = {
      method: request.method ?? "GET",
      path: withQuery(request.path, request.query),
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      contentType: request.contentType,
      signal: deadline.signal,
    };
    try {
      const answer = await this.#open(exchange);
      const text = await readBody(answer, exchange, maxBody);
      return parseBody<T>(text, exchange);
    } finally {
      deadline.clear();
    }
  }

  async stream(request: KubeStreamRequest): Promise<void> {
    const opening = this.#deadline(request);
    const path = withQuery(request.path, request.query);
    const exchange: KubeExchange = { method: "GET", path, signal: opening.signal };
    try {
      const answer = await this.#open(exchange);
      opening.untimed();
      request.onOpen?.();
      const lines = new LineSplitter(maxLine, request.onLine, () => request.onTooLong?.());
      await consume(answer, exchange, (chunk) => lines.push(chunk));
    } finally {
      opening.clear();
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #open(exchange: KubeExchange): Promise<IncomingMessage> {
    let answer = await this.#connection.open(exchange);
    if (answer.statusCode === 401) {
      answer.resume();
      answer = await this.#connection.open(exchange, true);
    }
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw statusError(exchange, statusCode, await readBody(answer, exchange, maxErrorBody));
  }

  /** A signal that aborts with the caller's, or with KUBE_TIMEOUT when time is up. */
  #deadline({ signal, timeout = defaultTimeout, path }: Deadlined): Deadline {
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason);
    const untimed = this.#clock.schedule(() => {
      const message = `${path}: no answer within ${timeout} ms`;
      controller.abort(new MusterError("KUBE_TIMEOUT", message));
    }, timeout);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const clear = (): void => {
      untimed();
      signal?.removeEventListener("abort", abort);
    };
    return { signal: controller.signal, untimed, clear };
  }
}

interface Deadlined {
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
}

interface Deadline {
  readonly signal: AbortSignal;
  /** From now on there is no time-out. */
  untimed(): void;
  /** Lets go of everything. */
  clear(): void;
}

function withQuery(path: string, query: KubeQuery = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Hands on each chunk; settles when the answer has ended, however it did. */
function consume(
  answer: IncomingMessage,
  exchange: KubeExchange,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      const { signal } = exchange;
      answer.destroy();
      reject(signal.aborted ? signal.reason : networkError(error, exchange));
    };
    answer.on("data", (chunk: Uint8Array) => {
      try {
        onChunk(chunk);
      } catch (error) {
        answer.destroy();
        reject(error);
      }
    });
    answer.on("error", fail);
    answer.on("end", () => {
      if (answer.complete) resolve();
    });
    answer.on("close", () => fail(new Error("the connection broke")));
  });
}

async function readBody(
  answer: IncomingMessage,
  exchange: KubeExchange,
  max: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await consume(answer, exchange, (chunk) => {
    size += chunk.byteLength;
    if (size > max)
      throw new MusterError("KUBE_TOO_LARGE", `${exchange.path}: more than ${max} bytes`);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks).toString("utf8");
}

function parseBody<T>(text: string, { method, path }: KubeExchange): T {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as T;
  } catch {
    // reported below, with what it was instead
  }
  const start = JSON.stringify(text.slice(0, 80));
  throw new MusterError("KUBE_RESPONSE", `${method} ${path}: no JSON object but ${start}`);
}
