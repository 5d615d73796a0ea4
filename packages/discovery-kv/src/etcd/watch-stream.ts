import type { ClientRequest, IncomingMessage } from "node:http";
import { type Clock, MusterError } from "@muster/core";
import { foreign } from "./answer.ts";
import type { Connections } from "./connections.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Failure, networkFailure, timeoutFailure } from "./gateway-error.ts";
import { LineSplitter } from "./line-splitter.ts";
import { readStatus, statusError } from "./status.ts";
import type { WatchResponse } from "./wire.ts";

/** Longest line of a watch, characters: fragments are as large as the server's largest request. */
const maxLine = 32 * 1024 * 1024;
/** As much of an answer other than a watch as is read. */
const maxRefusal = 16 * 1024;

/** What {@link openWatchStream} needs. */
export interface WatchStreamOptions {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly endpoint: Endpoint;
  readonly token: string | undefined;
  /** The `create_request`. */
  readonly request: object;
  /** ms until the server must have said that it watches. */
  readonly timeout: number;
  onResponse(response: WatchResponse): void;
  /** Called once, never after {@link WatchStream.close}; not with an error when the server ended it. */
  onEnd(error: MusterError): void;
}

/** A watch on one connection of its own. */
export interface WatchStream {
  /** When something came last, on the monotonic clock. */
  readonly heardAt: number;
  close(): void;
}

/** Opens a watch: one answer that does not end, a response of JSON on each line. */
export function openWatchStream(options: WatchStreamOptions): WatchStream {
  return new Stream(options);
}

class Stream implements WatchStream {
  readonly #options: WatchStreamOptions;
  readonly #url: string;
  readonly #cancelTimer: () => void;
  #client: ClientRequest | undefined;
  #over = false;
  heardAt: number;

  constructor(options: WatchStreamOptions) {
    const { clock, timeout, endpoint } = options;
    this.#options = options;
    this.#url = endpoint.url;
    this.heardAt = clock.monotonic();
    this.#cancelTimer = clock.schedule(
      () => this.#fail(timeoutFailure(this.#url, timeout).error),
      timeout,
    );
    this.#open().catch((error: unknown) => this.#network(error));
  }

  close(): void {
    this.#over = true;
    this.#cancelTimer();
    this.#client?.destroy();
  }

  async #open(): Promise<void> {
    const { connections, endpoint, token, request } = this.#options;
    const client = await connections.open({
      endpoint,
      path: "/v3/watch",
      headers: {
        ...(token !== undefined && { authorization: token }),
        // a server cut off from its cluster ends the watch instead of staying silent
        "grpc-metadata-hasleader": "true",
      },
      body: JSON.stringify({ create_request: request }),
    });
    this.#client = client;
    client.on("error", (error) => this.#network(error));
    client.on("close", () => this.#network(new Error("the connection was closed")));
    client.on("response", (answer) => {
      if (answer.statusCode === 200) this.#follow(answer);
      else this.#refused(answer);
    });
    if (this.#over) client.destroy();
    else client.end(JSON.stringify({ create_request: request }));
  }

  #follow(answer: IncomingMessage): void {
    const lines = new LineSplitter(maxLine, (line) => this.#onLine(line));
    answer.on("data", (chunk: Uint8Array) => {
      if (this.#over) return;
      this.heardAt = this.#options.clock.monotonic();
      if (!lines.push(chunk))
        this.#respondBadly("STORE_TOO_LARGE", `a line is longer than ${maxLine} characters`);
    });
    answer.on("end", () => {
      lines.end();
      this.#network(new Error("the server ended the watch"));
    });
    answer.on("error", (error) => this.#network(error));
  }

  #onLine(line: string): void {
    if (this.#over) return;
    const message = parse(line);
    const { result, error } = (message ?? {}) as { result?: WatchResponse; error?: unknown };
    if (typeof result === "object" && result !== null) {
      if (result.created) this.#cancelTimer();
      this.#options.onResponse(result);
      return;
    }
    const status = readStatus(error);
    if (status !== undefined) this.#fail(statusError(this.#url, status));
    else
      this.#respondBadly(
        "STORE_RESPONSE",
        `a line is no watch response: ${JSON.stringify(line.slice(0, 100))}`,
      );
  }

  #refused(answer: IncomingMessage): void {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      if (text.length < maxRefusal) text += chunk;
    });
    answer.on("end", () => {
      const status = readStatus(parse(text));
      const code = answer.statusCode ?? 0;
      this.#fail(
        status === undefined
          ? foreign(this.#url, "/v3/watch", { status: code, text })
          : statusError(this.#url, status),
      );
    });
    answer.on("error", (error) => this.#network(error));
  }

  #respondBadly(code: "STORE_RESPONSE" | "STORE_TOO_LARGE", message: string): void {
    this.#fail(new MusterError(code, `${this.#url}: ${message}`, { path: this.#url }));
  }

  #network(error: unknown): void {
    const failure: Failure = networkFailure(error, this.#url);
    this.#fail(failure.error);
  }

  #fail(error: MusterError): void {
    if (this.#over) return;
    this.close();
    this.#options.onEnd(error);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // not JSON: the caller says what it is
    return undefined;
  }
}
