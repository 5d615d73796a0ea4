import type { ModelServerSim } from "../server/model-server.ts";

/** An entry of the endpoints file that `@muster/discovery-file` reads. */
export interface EndpointEntry {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly metrics: { readonly path: string };
}

/** llm-d's label for the engine behind an endpoint. */
const engineLabel = "llm-d.ai/engine-type";

/** The entry of a server that has been started. */
export function endpointEntry(
  name: string,
  server: ModelServerSim,
  labels: Readonly<Record<string, string>>,
): EndpointEntry {
  return {
    name,
    address: reachable(server.address),
    port: server.port,
    labels: { [engineLabel]: server.engine, ...labels },
    metrics: { path: server.metricsPath },
  };
}

/** An address that listens everywhere is reached on this machine. */
function reachable(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}
