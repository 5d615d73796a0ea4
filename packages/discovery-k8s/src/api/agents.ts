import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { ClusterTls } from "./cluster.ts";

/** Connections of requests with one answer; more requests than this wait for each other. */
const maxConnections = 16;

/** Where connections come from. A watch keeps its own for minutes, so they are not counted. */
export interface KubeAgents {
  readonly requests: HttpAgent;
  readonly streams: HttpAgent;
}

/** Makes agents for `http:` or `https:`; TLS settings live in them and nowhere else. */
export function createAgents(protocol: string, tls: ClusterTls): KubeAgents {
  const { ca, cert, key, passphrase, serverName: servername, verify = true } = tls;
  const secure = {
    rejectUnauthorized: verify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
    ...(servername !== undefined && { servername }),
  };
  const make = (options: AgentOptions): HttpAgent =>
    protocol === "http:" ? new HttpAgent(options) : new HttpsAgent({ ...options, ...secure });
  return {
    requests: make({ keepAlive: true, maxSockets: maxConnections }),
    streams: make({ keepAlive: true, maxFreeSockets: 2 }),
  };
}

/** Closes idle connections, and those in use once they are idle. */
export function retireAgents(agents: KubeAgents | undefined): void {
  for (const agent of agents ? [agents.requests, agents.streams] : []) {
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }
}
