import type { Server } from "node:http";
import { hostPort, MusterError } from "@muster/core";

/**
 * Starts listening.
 *
 * @returns the port.
 * @throws MusterError PORT_IN_USE, or START_FAILED when the address cannot be used.
 */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException): void => {
      const where = hostPort(host, `${port}`);
      if (cause.code === "EADDRINUSE") {
        const message = `${where} is taken; give another port, or 0 for any`;
        reject(new MusterError("PORT_IN_USE", message, { cause }));
      } else
        reject(
          new MusterError("START_FAILED", `cannot listen on ${where}: ${cause.message}`, { cause }),
        );
    };
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Stops listening and closes every connection. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
