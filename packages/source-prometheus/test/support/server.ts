import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import type { TlsOptions } from "node:tls";
import { onTestFinished } from "vitest";

/** A real server on 127.0.0.1 that closes with the test. */
export interface TestServer {
  readonly port: string;
  readonly sockets: ReadonlySet<Socket>;
  /** Connections so far. */
  readonly connections: number;
  /** Resolves once `count` connections are open. */
  open(count: number): Promise<void>;
}

const tls = new URL("../../../../fixtures/tls/", import.meta.url);

/** The path of a test certificate or key. */
export function certificatePath(name: string): string {
  return new URL(`${name}.pem`, tls).pathname;
}

/** The content of a test certificate or key. */
export function certificate(name: string): string {
  return readFileSync(certificatePath(name), "utf8");
}

/** An HTTP server. */
export function serve(handler: RequestListener, host?: string): Promise<TestServer> {
  return listen(createServer({ keepAliveTimeout: 60_000 }, handler), host);
}

/** An HTTPS server with the certificate for `model.test`. */
export function serveTls(handler: RequestListener, options: TlsOptions = {}): Promise<TestServer> {
  const own = { key: certificate("server-key"), cert: certificate("server") };
  return listen(createTlsServer({ ...own, ...options }, handler));
}

/** A server that writes bytes of its own making at each request it sees, then does `after`. */
export function serveBytes(
  bytes: string,
  after: "end" | "reset" | "wait" = "end",
): Promise<TestServer> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(bytes, "latin1", () => {
        if (after === "reset") socket.resetAndDestroy();
      });
      if (after === "end") socket.end();
    });
  });
  return listen(server);
}

async function listen(server: Server | NetServer, host = "127.0.0.1"): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const changed = (): void => {
    for (const { count, resolve } of waiting) if (sockets.size === count) resolve();
  };
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      changed();
    });
    changed();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, host, resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: String((server.address() as AddressInfo).port),
    sockets,
    get connections() {
      return connections;
    },
    open: (count) =>
      new Promise((resolve) => {
        if (sockets.size === count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}
