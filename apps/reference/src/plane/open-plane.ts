import type { Discovery, KeyValueStore } from "@muster/core/plane";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import type { Io } from "../cli/io.ts";
import { errorLogger, type Shown } from "./error-logger.ts";

/** A store, and the plane on it. */
export interface OpenPlane extends AsyncDisposable {
  readonly store: KeyValueStore;
  readonly discovery: Discovery;
}

/** Makes the store and the plane; contacts nothing. What they log goes to standard error. */
export async function openPlane(
  config: StoreConfig,
  io: Pick<Io, "err">,
  shown: Shown = "problems",
): Promise<OpenPlane> {
  const context = { logger: errorLogger(io, shown) };
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
