import type { IncomingMessage } from "node:http";
import { type Clock, createPluginContext, type PluginContext } from "@muster/core";
import { consume, parseBody, readBody, readErrorBody, refuseEncoded } from "./answer.ts";
import type { Cluster } from "./cluster.ts";
import { KubeConnection, type KubeExchange } from "./connection.ts";
import { createDeadline } from "./deadline.ts";
import { statusError } from "./kube-error.ts";
import { LineSplitter } from "./line-splitter.ts";

/** Query parameters; undefined ones are left out. */
export type KubeQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request with one JSON answer. */
export interface KubeRequest {
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** Absolute, such as `/api/v1/pods`; parts are encoded already (see `resourcePath`). */
  readonly path: string;
  readonly query?: KubeQuery | undefined;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ms until KUBE_TIMEOUT; default 30,000. */
  readonly timeout?: number | undefined;
  /** Reads the answer; default `JSON.parse`. What it throws becomes the cause of KUBE_RESPONSE. */
  readonly parse?: ((text: string) => unknown) | undefined;
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
   * Sends a request; a 401 is tried once more with new credentials. Redirects are not followed. What
   * the server says about when to try again is found with `retryAfterOf`.
   *
   * @throws MusterError KUBE_…; the signal's reason when it aborts.
   */
  request<T>(request: KubeRequest): Promise<T>;
  /**
   * Follows a stream; resolves when the server ends it. Errors as with `request`; a connection that
   * breaks is KUBE_UNAVAILABLE.
   */
  stream(request: KubeStreamRequest): Promise<void>;
  /** Breaks all connections for good; requests under way, and later ones, fail. */
  close(): void;
}

const defaultTimeout = 30_000;
/** Characters of one line of a stream: etcd takes objects up to 1.5 MiB. */
const maxLine = 8 * 1024 * 1024;

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
    const { body, path, signal, timeout = defaultTimeout, parse } = request;
    const deadline = createDeadline(this.#clock, { path, signal, timeout });
    const exchange: KubeExchange = {
      method: request.method ?? "GET",
      path: withQuery(path, request.query),
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      contentType: request.contentType,
      signal: deadline.signal,
    };
    try {
      const answer = await this.#open(exchange);
      return parseBody(await readBody(answer, exchange), exchange, parse) as T;
    } finally {
      deadline.clear();
    }
  }

  async stream(request: KubeStreamRequest): Promise<void> {
    const { signal, timeout = defaultTimeout } = request;
    const path = withQuery(request.path, request.query);
    const opening = createDeadline(this.#clock, { path: request.path, signal, timeout });
    const exchange = { method: "GET", path, stream: true, signal: opening.signal };
    try {
      const answer = await this.#open(exchange);
      opening.untimed();
      request.onOpen?.();
      const lines = new LineSplitter(
        maxLine,
        (line) => request.onLine(line),
        () => request.onTooLong?.(),
      );
      await consume(answer, exchange, (chunk) => {
        lines.push(chunk);
        return true;
      });
      lines.end();
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
      await readErrorBody(answer, exchange);
      answer = await this.#connection.open(exchange, true);
    }
    const { statusCode: status = 0, headers } = answer;
    if (status >= 200 && status < 300) return refuseEncoded(answer, exchange);
    const body = await readErrorBody(answer, exchange);
    throw statusError(exchange, { status, body, retryAfter: headers["retry-after"] });
  }
}

function withQuery(path: string, query: KubeQuery = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}
