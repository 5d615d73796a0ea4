import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { hostPort, MusterError, toMusterError } from "@muster/core";
import type { Hono } from "hono";

/** ms between looks for idle connections while closing. */
const sweepInterval = 50;

/** A listening server. */
export interface Listening {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  /** Stops accepting, lets requests end for `grace` ms, then cuts what is left. Idempotent. */
  close(grace: number): Promise<void>;
}

/**
 * Serves the API.
 *
 * @throws MusterError PORT_IN_USE when the port is taken, USAGE when the address cannot be bound.
 */
export async function listen(
  api: Hono,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: api.fetch,
    serverOptions: { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${hostPort(host, String(taken))}`,
    close(grace) {
      closing ??= close(server, grace);
      return closing;
    },
  };
}

function close(server: ReturnType<typeof createAdaptorServer>, grace: number): Promise<void> {
  return new Promise((resolve) => {
    // a connection whose last answer has just ended turns idle only now
    const sweep = setInterval(() => {
      if ("closeIdleConnections" in server) server.closeIdleConnections();
    }, sweepInterval);
    const cut = setTimeout(() => {
      if ("closeAllConnections" in server) server.closeAllConnections();
    }, grace);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): MusterError {
  const address = hostPort(host, String(port));
  if (error.code === "EADDRINUSE")
    return new MusterError(
      "PORT_IN_USE",
      `port ${port} is in use (${address}); give another one with --port N, or --port 0 for any free one`,
      { cause: error },
    );
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" || error.code === "EACCES")
    return new MusterError("USAGE", `cannot listen on ${address}: ${error.message}`, {
      cause: error,
    });
  return toMusterError(error, "INTERNAL");
}
