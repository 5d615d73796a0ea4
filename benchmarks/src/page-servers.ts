import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { readPage, variants } from "./pages.ts";

/** Real HTTP servers in a process of their own: any loopback address reaches the one port. */
export interface PageServers {
  readonly port: number;
  /** Ends their process. */
  stop(): Promise<void>;
}

/** Starts the servers' process; they show a full vLLM page whose values change. */
export async function startPageServers(page: string): Promise<PageServers> {
  const child = fork(fileURLToPath(import.meta.url), [page], { stdio: "inherit" });
  const [port] = (await once(child, "message")) as [number];
  return { port, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, "exit");
}

/** The `n`-th loopback host: 127.0.0.1, 127.0.0.2, ... so that each endpoint is a server to itself. */
export function loopbackHost(n: number): string {
  const host = n + 1;
  return `127.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`;
}

function serve(page: string): void {
  const pages = variants(readPage(page), 16);
  let at = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
    const body = pages[at++ % pages.length] ?? new Uint8Array();
    response.writeHead(200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "content-length": body.length,
    });
    response.end(body);
  });
  server.listen(0, "0.0.0.0", () => {
    const address = server.address();
    process.send?.(typeof address === "object" ? address?.port : undefined);
  });
  process.once("disconnect", () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2] ?? "");
