import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { MusterError } from "@muster/core";
import { TargetPolicy } from "../targets/target-policy.ts";
import { AbortHub } from "./abort-hub.ts";
import {
  type AgentPair,
  destroyAgents,
  httpAgents,
  httpsAgents,
  retireAgents,
  type TlsOptions,
} from "./agents.ts";
import { ConnectionCount } from "./connection-count.ts";
import { type Answer, Exchange } from "./exchange.ts";
import { guardedLookup, type ResolveAll } from "./guarded-lookup.ts";
import { inflated } from "./inflate.ts";
import { scrapeUrl } from "./scrape-url.ts";
import type { ScrapeTarget, Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** Options of {@link createNodeTransport}. */
export interface NodeTransportOptions {
  /** Settings for https; a function is asked before each request and may read them from files. */
  readonly tls?: TlsOptions | (() => TlsOptions | Promise<TlsOptions>) | undefined;
  /** Hosts, addresses and ranges that may be asked; default: all but link-local and metadata addresses. */
  readonly allowedTargets?: readonly string[] | undefined;
  /** Connections kept open; beyond it each request brings its own. Default 10,000. */
  readonly maxConnections?: number | undefined;
  /** Default `dns.lookup`. */
  readonly resolve?: ResolveAll | undefined;
}

/** A transport on `node:http` and `node:https`, which Node, Deno and Bun have alike. */
export function createNodeTransport(options: NodeTransportOptions = {}): Transport {
  return new NodeTransport(options);
}

const defaults: TlsOptions = Object.freeze({});

class NodeTransport implements Transport {
  readonly #options: NodeTransportOptions;
  readonly #policy: TargetPolicy;
  readonly #lookup: LookupFunction;
  readonly #hub = new AbortHub();
  readonly #http = httpAgents();
  #https: { readonly tls: TlsOptions; readonly agents: AgentPair } | undefined;
  /** Targets already let through: literal addresses are checked once. */
  readonly #allowed = new WeakSet<ScrapeTarget>();
  readonly #connections: ConnectionCount;
  #closed = false;

  constructor(options: NodeTransportOptions) {
    this.#options = options;
    this.#connections = new ConnectionCount(options.maxConnections ?? 10_000);
    this.#policy = new TargetPolicy(options.allowedTargets);
    this.#lookup = guardedLookup(this.#policy, options.resolve);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { target, maxBodyBytes: maxBytes } = request;
    const url = scrapeUrl(target);
    this.#check(target);
    const agents = target.scheme === "http" ? this.#http : await this.#httpsAgents();
    if (this.#closed) throw new MusterError("SCRAPE_ABORTED", `${url}: the transport is closed`);
    const answer = await this.#exchange(request, url, agents);
    const { encoding, ...response } = answer;
    if (encoding === undefined || answer.status !== 200) return response;
    const body = await inflated(answer.body, { encoding, url, maxBytes });
    return { ...response, body };
  }

  close(): void {
    this.#closed = true;
    destroyAgents(this.#http);
    destroyAgents(this.#https?.agents);
  }

  /** Names are checked once they are resolved. */
  #check(target: ScrapeTarget): void {
    if (this.#allowed.has(target)) return;
    const { address } = target;
    const refusal = isIP(address) === 0 ? undefined : this.#policy.refusal(address, address);
    if (refusal !== undefined) throw refusal;
    this.#allowed.add(target);
  }

  async #httpsAgents(): Promise<AgentPair> {
    const { tls = defaults } = this.#options;
    const current = typeof tls === "function" ? await tls() : tls;
    if (this.#https?.tls !== current) {
      retireAgents(this.#https?.agents);
      this.#https = { tls: current, agents: httpsAgents(current) };
    }
    return this.#https.agents;
  }

  /** A second try is safe, since a GET changes nothing, and goes over a connection of its own. */
  async #exchange(request: TransportRequest, url: string, agents: AgentPair): Promise<Answer> {
    const started = performance.now();
    const keep = this.#connections.mayKeep(request.target);
    for (const agent of keep ? [agents.kept, agents.single] : [agents.single]) {
      const exchange = new Exchange(request, {
        url,
        hub: this.#hub,
        timeout: request.timeout - (performance.now() - started),
        open: (onAnswer) => this.#open(request, agent, onAnswer),
        connections: this.#connections,
      });
      const answer = await exchange.run();
      if (answer !== undefined) return answer;
    }
    throw new MusterError("SCRAPE_CONNECT", `${url}: no answer: connection lost`, { path: url });
  }

  #open(
    { target, headers }: TransportRequest,
    agent: AgentPair["kept"],
    onAnswer: (answer: IncomingMessage) => void,
  ): ClientRequest {
    const send = target.scheme === "http" ? httpRequest : httpsRequest;
    const options = {
      host: target.address,
      port: target.port,
      path: target.path,
      headers,
      agent,
      lookup: this.#lookup,
      maxHeaderSize: 16 * 1024,
    };
    return send(options, onAnswer);
  }
}
