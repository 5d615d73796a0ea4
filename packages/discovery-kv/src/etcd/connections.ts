import { Buffer } from "node:buffer";
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Endpoint } from "./endpoint.ts";
import type { TlsMaterial } from "./tls-material.ts";

/** One POST to the JSON gateway. */
export interface GatewayRequest {
  readonly endpoint: Endpoint;
  /** Such as `/v3/kv/range`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens requests; connections are kept and shared, or made for one request each. */
export class Connections {
  readonly #tls: () => Promise<TlsMaterial>;
  readonly #options: AgentOptions;
  readonly #http: HttpAgent;
  /** One agent for each set of certificates: they are part of a connection. */
  #https: { readonly material: TlsMaterial; readonly agent: HttpsAgent } | undefined;

  /** @param limit connections to one endpoint; 0: one for each request */
  constructor(tls: () => Promise<TlsMaterial>, limit: number) {
    this.#tls = tls;
    this.#options =
      limit === 0
        ? { keepAlive: false }
        : { keepAlive: true, maxSockets: limit, maxFreeSockets: limit, scheduling: "lifo" };
    this.#http = new HttpAgent(this.#options);
  }

  /** @throws MusterError STORE_CONFIG when a certificate's file cannot be read */
  async open({ endpoint, path, headers, body }: GatewayRequest): Promise<ClientRequest> {
    const options = {
      host: endpoint.host,
      port: endpoint.port,
      path,
      method: "POST",
      maxHeaderSize: 16 * 1024,
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        ...headers,
      },
    };
    if (!endpoint.secure) return httpRequest({ ...options, agent: this.#http });
    return httpsRequest({ ...options, agent: await this.#secureAgent() });
  }

  /** Closes everything. */
  close(): void {
    this.#http.destroy();
    this.#https?.agent.destroy();
  }

  async #secureAgent(): Promise<HttpsAgent> {
    const material = await this.#tls();
    if (this.#https?.material !== material) {
      retire(this.#https?.agent);
      this.#https = { material, agent: new HttpsAgent({ ...material, ...this.#options }) };
    }
    return this.#https.agent;
  }
}

/** Closes idle connections, and those in use once they are idle. */
function retire(agent: HttpsAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
