import { createServer, type Server, Socket } from "node:net";

/** What a proxy does with connections. */
type Mode = "open" | "cut" | "stalled" | "mute";

/** A TCP proxy before a server, for what networks do. */
export interface TestProxy {
  readonly port: number;
  /** Connections open now. */
  readonly connections: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Bytes passed on so far, to the client. */
  readonly received: number;
  /** Closes all connections, and each new one at once. */
  cut(): void;
  /** Keeps connections, old and new, but passes nothing on: a half-open network. */
  stall(): void;
  /** Passes nothing on any more over the connections there are; new ones work. */
  freeze(): void;
  /** Passes requests on, but swallows every answer until it is healed. */
  mute(): void;
  /** Passes everything on again, what a stall held back included. */
  heal(): void;
  /** Closes all connections once; new ones work. */
  drop(): void;
  /** Sends clients at most so many bytes at a time from now on; 0: as they come. */
  fragment(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a proxy before a port of this host. */
export async function startProxy(target: number | { readonly port: number }): Promise<TestProxy> {
  const proxy = new PortProxy(typeof target === "number" ? target : target.port);
  await proxy.listen();
  return proxy;
}

class PortProxy implements TestProxy {
  readonly #target: number;
  readonly #server: Server = createServer((client) => this.#accept(client));
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #mode: Mode = "open";
  #pieces = 0;
  port = 0;
  accepted = 0;
  received = 0;

  constructor(target: number) {
    this.#target = target;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.port = address.port;
  }

  cut(): void {
    this.#mode = "cut";
    this.drop();
  }

  stall(): void {
    this.#mode = "stalled";
    this.freeze();
  }

  freeze(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  mute(): void {
    this.#mode = "mute";
  }

  heal(): void {
    this.#mode = "open";
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  drop(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  fragment(bytes: number): void {
    this.#pieces = bytes;
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    if (this.#mode === "cut") {
      client.destroy();
      return;
    }
    const server = new Socket();
    server.connect(this.#target, "127.0.0.1");
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      // an error is followed by close
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    client.on("data", (chunk) => server.write(chunk));
    client.on("end", () => server.end());
    server.on("data", (chunk: Uint8Array) => this.#pass(client, chunk));
    server.on("end", () => client.end());
    if (this.#mode === "stalled") for (const socket of pair) socket.pause();
  }

  #pass(client: Socket, chunk: Uint8Array): void {
    if (this.#mode === "mute") return;
    this.received += chunk.byteLength;
    const size = this.#pieces === 0 ? chunk.byteLength : this.#pieces;
    for (let start = 0; start < chunk.byteLength; start += size)
      client.write(chunk.subarray(start, start + size));
  }
}
