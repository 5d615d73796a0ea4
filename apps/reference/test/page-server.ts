import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

const fixtures = new URL("../../../fixtures/metrics/", import.meta.url);

/** A real server for tests. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** The bytes of a page in the repository's fixtures. */
export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(name, fixtures));
}

/** Serves with `listener` on a free loopback port. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves one page for every request. */
export function servePage(
  page: Uint8Array,
  headers: Record<string, string> = {},
): Promise<TestServer> {
  return serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4", ...headers });
    response.end(page);
  });
}
