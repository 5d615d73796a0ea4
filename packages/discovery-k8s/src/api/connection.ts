import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { MusterError } from "@muster/core";
import { createAgents, type KubeAgents, retireAgents } from "./agents.ts";
import type { Cluster, ClusterCredentials } from "./cluster.ts";
import { networkError } from "./network-error.ts";
import { raceAbort } from "./race-abort.ts";

/** One HTTP request to the API server. */
export interface KubeExchange {
  readonly method: string;
  /** Path and query, to be put after the server's own path. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** The answer goes on for long. */
  readonly stream?: boolean | undefined;
  /** Ends it; the caller's own reason to. */
  readonly signal: AbortSignal;
}

/** Opens requests to one API server; connections are kept and used again. */
export class KubeConnection {
  readonly #cluster: Cluster;
  readonly #open = new Set<ClientRequest>();
  #agents: KubeAgents | undefined;
  /** The TLS settings `#agents` were made for. */
  #settings = "";
  #closed = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Resolves when the head of the answer is there; `refresh` asks for new credentials first. */
  async open(exchange: KubeExchange, refresh = false): Promise<IncomingMessage> {
    const { signal } = exchange;
    const credentials = await raceAbort(this.#cluster.credentials({ refresh, signal }), signal);
    try {
      return await this.#send(exchange, credentials);
    } catch (error) {
      // the server closed an idle connection while it was taken up again; reading may be repeated
      if (exchange.method !== "GET" || !isStale(error)) throw error;
      return await this.#send(exchange, credentials);
    }
  }

  /** Breaks every connection; from now on nothing is sent. */
  close(): void {
    this.#closed = true;
    for (const client of this.#open) client.destroy();
    for (const agent of this.#agents ? Object.values(this.#agents) : []) agent.destroy();
  }

  #send(exchange: KubeExchange, credentials: ClusterCredentials): Promise<IncomingMessage> {
    const { signal } = exchange;
    return new Promise<IncomingMessage>((resolve, reject) => {
      let client: ClientRequest | undefined;
      const fail = (error: unknown): void => {
        const failure = networkError(error, exchange);
        if (client?.reusedSocket === true) reused.add(failure);
        reject(signal.aborted ? signal.reason : failure);
      };
      if (signal.aborted || this.#closed) return fail(closedError());
      try {
        client = this.#request(exchange, credentials);
        this.#track(client, signal);
        client.on("response", (answer) => {
          // an abort may break it before, or after, anybody reads it
          answer.on("error", () => undefined);
          resolve(answer);
        });
        client.on("error", fail);
        client.on("close", () => fail(new Error("the connection broke")));
        client.end(exchange.body);
      } catch (error) {
        // a header or path that may not be sent
        fail(error);
      }
    });
  }

  #request(exchange: KubeExchange, credentials: ClusterCredentials): ClientRequest {
    const { server } = this.#cluster;
    const headers: Record<string, string> = {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "muster",
    };
    if (exchange.body !== undefined) {
      headers["content-type"] = exchange.contentType ?? "application/json";
      headers["content-length"] = String(new TextEncoder().encode(exchange.body).byteLength);
    }
    if (credentials.authorization !== undefined) headers.authorization = credentials.authorization;
    const agents = this.#agentsFor(credentials);
    const options: RequestOptions = {
      protocol: server.protocol,
      hostname: server.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: server.port,
      path: server.pathname.replace(/\/$/, "") + exchange.path,
      method: exchange.method,
      headers,
      agent: exchange.stream === true ? agents.streams : agents.requests,
    };
    return server.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
  }

  /** Certificates may rotate: a new one gets new connections. */
  #agentsFor({ tls }: ClusterCredentials): KubeAgents {
    const settings = JSON.stringify(tls);
    if (this.#agents !== undefined && this.#settings === settings) return this.#agents;
    retireAgents(this.#agents);
    this.#settings = settings;
    this.#agents = createAgents(this.#cluster.server.protocol, tls);
    return this.#agents;
  }

  /**
   * Not left to the request's own `signal`, which destroys with an error: once the answer has ended, that
   * error is the socket's, and nobody listens there.
   */
  #track(client: ClientRequest, signal: AbortSignal): void {
    const destroy = (): void => {
      client.destroy();
    };
    this.#open.add(client);
    signal.addEventListener("abort", destroy, { once: true });
    client.on("close", () => {
      this.#open.delete(client);
      signal.removeEventListener("abort", destroy);
    });
  }
}

/** Failures on a connection that had been used before. */
const reused = new WeakSet<object>();

function isStale(error: unknown): boolean {
  return (
    error instanceof MusterError &&
    reused.has(error) &&
    (error.cause as { code?: unknown } | undefined)?.code === "ECONNRESET"
  );
}

function closedError(): Error {
  return new Error("the connections to the API server were closed");
}
