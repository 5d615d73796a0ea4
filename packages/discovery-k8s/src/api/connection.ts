import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { MusterError, messageOf } from "@muster/core";
import type { Cluster, ClusterCredentials } from "./cluster.ts";

/** One HTTP request to the API server. */
export interface KubeExchange {
  readonly method: string;
  /** Path and query, to be put after the server's own path. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Ends it; the caller's own reason to. */
  readonly signal: AbortSignal;
}

/** Opens requests to one API server; connections are kept and used again. */
export class KubeConnection {
  readonly #cluster: Cluster;
  #agent: HttpAgent | undefined;
  /** The TLS settings `#agent` was made for. */
  #settings = "";

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Resolves when the head of the answer is there; `refresh` asks for new credentials first. */
  async open(exchange: KubeExchange, refresh = false): Promise<IncomingMessage> {
    const credentials = await this.#cluster.credentials({ refresh });
    const { signal } = exchange;
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(signal.aborted ? signal.reason : networkError(error, exchange));
      try {
        const client = this.#request(exchange, credentials);
        client.on("response", (answer) => {
          // an abort may break it before, or after, anybody reads it
          answer.on("error", () => undefined);
          resolve(answer);
        });
        client.on("error", fail);
        destroyOnAbort(client, signal);
        client.end(exchange.body);
      } catch (error) {
        // a header or path that may not be sent
        fail(error);
      }
    });
  }

  /** Closes every connection. */
  close(): void {
    this.#agent?.destroy();
  }

  #request(exchange: KubeExchange, credentials: ClusterCredentials): ClientRequest {
    const { server } = this.#cluster;
    const headers: Record<string, string> = { accept: "application/json", "user-agent": "muster" };
    if (exchange.body !== undefined) {
      headers["content-type"] = exchange.contentType ?? "application/json";
      headers["content-length"] = String(new TextEncoder().encode(exchange.body).byteLength);
    }
    if (credentials.authorization !== undefined) headers.authorization = credentials.authorization;
    const options: RequestOptions = {
      protocol: server.protocol,
      hostname: server.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: server.port,
      path: server.pathname.replace(/\/$/, "") + exchange.path,
      method: exchange.method,
      headers,
      agent: this.#agentFor(credentials),
    };
    return server.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
  }

  /** Certificates may rotate: a new one gets new connections. */
  #agentFor({ tls }: ClusterCredentials): HttpAgent {
    const settings = JSON.stringify(tls);
    if (this.#agent !== undefined && this.#settings === settings) return this.#agent;
    retire(this.#agent);
    this.#settings = settings;
    const { ca, cert, key, passphrase, serverName: servername, verify = true } = tls;
    const kept = { keepAlive: true, keepAliveMsecs: 30_000 };
    this.#agent =
      this.#cluster.server.protocol === "http:"
        ? new HttpAgent(kept)
        : new HttpsAgent({
            ...kept,
            rejectUnauthorized: verify,
            ...(ca !== undefined && { ca }),
            ...(cert !== undefined && { cert }),
            ...(key !== undefined && { key }),
            ...(passphrase !== undefined && { passphrase }),
            ...(servername !== undefined && { servername }),
          });
    return this.#agent;
  }
}

/**
 * Not left to the request's own `signal`, which destroys with an error: once the answer has ended, that
 * error is the socket's, and nobody listens there.
 */
function destroyOnAbort(client: ClientRequest, signal: AbortSignal): void {
  const destroy = (): void => {
    client.destroy();
  };
  if (signal.aborted) destroy();
  signal.addEventListener("abort", destroy, { once: true });
  client.on("close", () => signal.removeEventListener("abort", destroy));
}

/** Closes idle connections; those in use end with what they carry. */
function retire(agent: HttpAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** What went wrong with a connection, as an error of ours. */
export function networkError(error: unknown, { method, path }: KubeExchange): MusterError {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  const tls = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME/.test(code);
  return new MusterError(
    tls ? "KUBE_TLS" : "KUBE_UNAVAILABLE",
    `${method} ${path}: ${messageOf(error)}${code === "" ? "" : ` (${code})`}`,
    { cause: error },
  );
}
