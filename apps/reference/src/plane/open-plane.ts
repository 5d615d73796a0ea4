import { formatPlain, type LogFields, type Logger, silentLogger } from "@muster/core";
import type { Discovery, KeyValueStore } from "@muster/core/plane";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import type { Io } from "../cli/io.ts";
import { printable } from "../cli/printable.ts";

/** A store, and the plane on it. */
export interface OpenPlane extends AsyncDisposable {
  readonly store: KeyValueStore;
  readonly discovery: Discovery;
}

/** Makes the store and the plane; contacts nothing. What they warn of goes to standard error. */
export async function openPlane(config: StoreConfig, io: Pick<Io, "err">): Promise<OpenPlane> {
  const context = { logger: errorLogger(io) };
  const store = await createStore(config, context);
  const discovery = createKvDiscovery(store, { context });
  return {
    store,
    discovery,
    async [Symbol.asyncDispose]() {
      await discovery.close();
      await store.close();
    },
  };
}

/** Warnings and errors as lines for people. */
function errorLogger(io: Pick<Io, "err">): Logger {
  const say = (fields: LogFields, message: string): void =>
    io.err(`${printable(`${message}: ${formatPlain(fields)}`)}\n`);
  return { ...silentLogger, warn: say, error: say };
}
