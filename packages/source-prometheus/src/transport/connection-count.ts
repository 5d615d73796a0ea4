import type { Socket } from "node:net";
import type { ScrapeTarget } from "./transport.ts";

/** Knows the open connections that carried an answer, so that there are not too many. */
export class ConnectionCount {
  readonly #max: number;
  readonly #known = new WeakSet<Socket>();
  /** Open connections by server. */
  readonly #servers = new Map<string, number>();
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a connection to this server may be kept: there is one already, or room for one more. */
  mayKeep(target: ScrapeTarget): boolean {
    return this.#open < this.#max || this.#servers.has(serverOf(target));
  }

  /** Whether it carried an answer before; `reusedSocket` misses those handed on within the queue. */
  knows(socket: Socket | null | undefined): boolean {
    return socket != null && this.#known.has(socket);
  }

  /** Call for each answer. */
  meet(socket: Socket, target: ScrapeTarget): void {
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    const server = serverOf(target);
    this.#add(server, 1);
    socket.once("close", () => this.#add(server, -1));
  }

  #add(server: string, change: number): void {
    this.#open += change;
    const count = (this.#servers.get(server) ?? 0) + change;
    if (count === 0) this.#servers.delete(server);
    else this.#servers.set(server, count);
  }
}

function serverOf({ scheme, address, port }: ScrapeTarget): string {
  return `${scheme} ${address} ${port}`;
}
