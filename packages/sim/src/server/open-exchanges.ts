import type { ServerResponse } from "node:http";
import type { FaultKind } from "../faults/fault.ts";

/** The requests of a server that are being answered, or kept from it by a fault. */
export class OpenExchanges {
  readonly #open = new Map<ServerResponse, { readonly admin: boolean; fault?: FaultKind }>();

  add(response: ServerResponse, admin: boolean): void {
    this.#open.set(response, { admin });
    response.on("close", () => this.#open.delete(response));
  }

  /** Remembers that a fault has got hold of a request. */
  hold(response: ServerResponse, fault: FaultKind): void {
    const exchange = this.#open.get(response);
    if (exchange !== undefined) exchange.fault = fault;
  }

  /** Drops the connections of requests that a kind of fault, or any, has got hold of. */
  dropHeld(kind?: FaultKind): void {
    for (const [response, { fault }] of this.#open)
      if (fault !== undefined && (kind === undefined || kind === fault)) response.socket?.destroy();
  }

  /** Drops all connections in use, but those of the admin's routes. */
  dropAll(): void {
    for (const [response, { admin }] of this.#open) if (!admin) response.socket?.destroy();
  }
}
