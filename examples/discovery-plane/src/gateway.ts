import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { text } from "node:stream/consumers";
import type { Roster } from "./roster.ts";

/** A server that lists the models of all workers and sends each request to one that serves its model. */
export function createGateway(roster: Roster): Server {
  let turn = 0;
  return createServer(async (incoming, outgoing) => {
    if (incoming.method === "GET" && incoming.url === "/v1/models") {
      const data = roster.models().map((id) => ({ id, object: "model" }));
      return answer(outgoing, 200, { object: "list", data });
    }
    const body = await text(incoming);
    const model = modelOf(body);
    const servers = roster.servers(model);
    const server = servers[turn++ % servers.length];
    if (server === undefined) return answer(outgoing, 404, { detail: `nobody serves "${model}"` });
    forward({ incoming, outgoing, body, server });
  });
}

function modelOf(body: string): string {
  try {
    return String((JSON.parse(body) as { model?: unknown } | null)?.model);
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: string;
  readonly server: URL;
}

function forward({ incoming, outgoing, body, server }: Forwarding): void {
  const { method } = incoming;
  const headers = { "content-type": "application/json" };
  const onward = request(new URL(incoming.url ?? "/", server), { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, { "content-type": "application/json" });
    reply.pipe(outgoing);
  });
  onward.on("error", (error) => answer(outgoing, 502, { detail: error.message }));
  onward.end(body);
}

function answer(outgoing: ServerResponse, status: number, body: object): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}
