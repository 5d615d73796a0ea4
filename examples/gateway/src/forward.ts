import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { FleetEndpoints } from "@muster/runtime";
import { pick } from "./pick.ts";

/** Handles a request by sending it on to the least loaded server, body and answer as streams. */
export function forward(
  endpoints: FleetEndpoints,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    const endpoint = pick(endpoints);
    if (endpoint === undefined) return fail(outgoing, 503, "no model server is fresh");
    const { address, port } = endpoint.metadata;
    const { method, url, headers } = incoming;
    const onward = request({ host: address, port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      outgoing.writeHead(status, { ...answer.headers, "x-served-by": endpoint.id });
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    onward.on("error", (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else fail(outgoing, 502, `${endpoint.id}: ${error.message}`);
    });
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  };
}

function fail(outgoing: ServerResponse, status: number, detail: string): void {
  outgoing.writeHead(status, { "content-type": "application/problem+json" });
  outgoing.end(JSON.stringify({ status, detail }));
}
