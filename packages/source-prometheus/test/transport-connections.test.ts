import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, openTransport, textOf } from "./support/ask.ts";
import { serve } from "./support/server.ts";

describe("connections", () => {
  it("are kept from request to request, whatever the answer was", async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.url === "/missing" ? 404 : 200;
      response.end("a 1\n");
    });
    const transport = openTransport();
    for (const path of ["/metrics", "/missing", "/metrics"])
      await ask(transport, { ...server, port: server.port, path });
    expect(server.connections).toBe(1);
    expect(server.sockets.size).toBe(1);
  });

  it("are closed by close, and no request comes after", async () => {
    const server = await serve((_, response) => response.end("a 1\n"));
    const transport = openTransport();
    await ask(transport, server);
    transport.close();
    transport.close();
    await server.open(0);
    await expect(ask(transport, server)).rejects.toMatchObject({ code: "SCRAPE_ABORTED" });
  });

  it("are at most two per server", async () => {
    const server = await serve((_, response) => void response.end("a 1\n"));
    const transport = openTransport();
    await Promise.all(Array.from({ length: 12 }, () => ask(transport, server)));
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("beyond the cap are one per request", async () => {
    const servers = await Promise.all(
      [1, 2, 3].map(() => serve((_, response) => response.end("a 1\n"))),
    );
    const transport = openTransport({ maxConnections: 2 });
    for (const server of [...servers, ...servers]) await ask(transport, server);
    const [first, second, third] = servers;
    await third?.open(0);
    expect(servers.map(({ connections }) => connections)).toEqual([1, 1, 2]);
    expect([first?.sockets.size, second?.sockets.size]).toEqual([1, 1]);
  });

  it("leave nothing behind for a thousand requests that share a signal", async () => {
    const warn = vi.spyOn(process, "emitWarning");
    onTestFinished(() => warn.mockRestore());
    const server = await serve((_, response) => response.end("a 1\n"));
    const transport = openTransport();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 50 }, () => ask(transport, { port: server.port, signal })),
      );
    expect(add).toHaveBeenCalledTimes(1);
    expect(warn).not.toHaveBeenCalled();
  });
});

/** A server that answers the first request on each connection, and acts up on the next. */
async function serveOnce(second: (socket: Socket) => void) {
  const seen = { requests: 0, connections: 0 };
  const server = createServer((socket) => {
    seen.connections++;
    let requests = 0;
    socket.on("error", () => undefined);
    socket.on("data", () => {
      seen.requests++;
      if (requests++ > 0) second(socket);
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { seen, port: typeof address === "object" ? String(address?.port) : "" };
}

describe("a kept connection that the server has just closed", () => {
  it("is replaced, once, by a fresh one", async () => {
    const { seen, port } = await serveOnce((socket) => socket.resetAndDestroy());
    const transport = openTransport();
    await ask(transport, { port });
    expect(textOf(await ask(transport, { port }))).toBe("a 1\n");
    expect(seen).toEqual({ requests: 3, connections: 2 });
  });

  it("is not replaced once an answer has begun", async () => {
    const { seen, port } = await serveOnce((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na", () => socket.resetAndDestroy());
    });
    const transport = openTransport();
    await ask(transport, { port });
    await expect(ask(transport, { port })).rejects.toMatchObject({ code: "SCRAPE_TRUNCATED" });
    expect(seen.requests).toBe(2);
  });

  it("a fresh connection that is reset is a failure", async () => {
    const { seen, port } = await serveOnce(() => undefined);
    const failing = await serve((request) => void request.socket.destroy());
    await expect(ask(openTransport(), failing)).rejects.toMatchObject({ code: "SCRAPE_CONNECT" });
    expect(failing.connections).toBe(1);
    expect([seen.requests, port]).toEqual([0, port]);
  });
});
