import { Buffer } from "node:buffer";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Roster } from "./roster.ts";

/** Largest request that is taken, bytes: a prompt, with room to spare. */
const maxBody = 1024 * 1024;

/** A server that lists the models of all workers and sends each request to one that serves its model. */
export function createGateway(roster: Roster): Server {
  let turn = 0;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (incoming.method === "GET" && incoming.url === "/v1/models") {
      const data = roster.models().map((id) => ({ id, object: "model" }));
      return answer(outgoing, 200, { object: "list", data });
    }
    const body = await read(incoming);
    if (body === undefined) return answer(outgoing, 413, { detail: `more than ${maxBody} bytes` });
    const model = modelOf(body);
    const servers = roster.servers(model);
    const server = servers[turn++ % servers.length];
    if (server === undefined) return answer(outgoing, 404, { detail: `nobody serves "${model}"` });
    forward({ incoming, outgoing, body, server });
  };
  return createServer((incoming, outgoing) => {
    // a client that leaves in the middle of its request
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
}

/** Undefined for a request that is too large. */
async function read(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // the rest is let pass: who is hung up on does not read the answer
    if (size <= maxBody) chunks.push(chunk);
  }
  return size <= maxBody ? Buffer.concat(chunks).toString() : undefined;
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
  const { method, url: path } = incoming;
  const headers = { "content-type": "application/json" };
  // a path is never read as a URL: "//elsewhere/" would be another host
  const onward = request(server, { method, path, headers }, (reply) => {
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
