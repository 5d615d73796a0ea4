import { Agent as HttpAgent } from "node:http";
import { type AgentOptions, Agent as HttpsAgent } from "node:https";
import { BufferedAgent } from "./buffered-agent.ts";

/** TLS settings of one source, contents rather than files. */
export interface TlsOptions {
  /** PEM; instead of the system's authorities. */
  readonly ca?: string | undefined;
  /** PEM of the client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Name to ask for and to check, instead of the host. */
  readonly serverName?: string | undefined;
  /** Default true. */
  readonly verify?: boolean | undefined;
}

/** The agents of one scheme: one keeps connections, the other opens one per request. */
export interface AgentPair {
  readonly kept: HttpAgent;
  readonly single: HttpAgent;
}

/** Two endpoints may share a server, and one may be asked again while its last exchange ends. */
const pool: AgentOptions = {
  keepAlive: true,
  maxSockets: 2,
  maxFreeSockets: 2,
  scheduling: "lifo",
};

/** Agents for plain HTTP. */
export function httpAgents(): AgentPair {
  return { kept: new BufferedAgent(pool), single: new HttpAgent({ keepAlive: false }) };
}

/** Agents for TLS. Settings live in the agents and nowhere else, so they never leak into another source. */
export function httpsAgents(tls: TlsOptions): AgentPair {
  const { ca, cert, key, serverName: servername, verify = true } = tls;
  const options: AgentOptions = {
    rejectUnauthorized: verify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
  };
  return {
    kept: new HttpsAgent({ ...options, ...pool }),
    single: new HttpsAgent({ ...options, keepAlive: false }),
  };
}

/** Closes idle connections and those in use. */
export function destroyAgents(pair: AgentPair | undefined): void {
  pair?.kept.destroy();
  pair?.single.destroy();
}

/** Closes idle connections, and those in use once they are idle. */
export function retireAgents(pair: AgentPair | undefined): void {
  if (pair === undefined) return;
  pair.kept.maxFreeSockets = 0;
  for (const sockets of Object.values(pair.kept.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
