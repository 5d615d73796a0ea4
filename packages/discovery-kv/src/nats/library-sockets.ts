import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** Where Node tells of each socket that connects to somewhere. */
const channel = "net.client.socket";
const owners = new AsyncLocalStorage<LibrarySockets>();

/**
 * The sockets that the client library opens for one connection. It lets go of one whose server takes the
 * connection and then says nothing, or nothing that it understands, without closing it: that would keep
 * reading for ever, and the process alive. Where the runtime does not tell of sockets, so it is.
 */
export class LibrarySockets {
  #latest: Socket | undefined;
  #subscribed = false;

  /** Runs what opens a connection, and keeps it up: the library has one socket at a time. */
  run<T>(connect: () => Promise<T>): Promise<T> {
    if (!this.#subscribed) subscribe(channel, this.#onSocket);
    this.#subscribed = true;
    return owners.run(this, connect);
  }

  /** Ends whatever is left. */
  close(): void {
    unsubscribe(channel, this.#onSocket);
    this.#subscribed = false;
    this.#latest?.destroy();
    this.#latest = undefined;
  }

  readonly #onSocket = (message: unknown): void => {
    if (owners.getStore() !== this) return;
    this.#latest?.destroy();
    this.#latest = (message as { readonly socket: Socket }).socket;
  };
}
