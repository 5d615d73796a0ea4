import type { KeyValueStoreHarness } from "@muster/testkit";
import { type MemoryKeyValueStore, MemoryRegistry } from "./memory-key-value-store.ts";

/** Clients of that class on one registry; time passes at once. */
export function storeHarness(Store: typeof MemoryKeyValueStore): KeyValueStoreHarness {
  return {
    patience: 100,
    ttl: 1,
    flood: 200,
    make: () => {
      const registry = new MemoryRegistry();
      const stores: MemoryKeyValueStore[] = [];
      return {
        client: () => {
          const store = new Store(registry);
          stores.push(store);
          return store;
        },
        kill: (store) => {
          for (const each of stores) if (each === store) registry.dead.add(each);
        },
        elapse: () => {
          for (const store of stores) store.touch();
          registry.expire();
        },
      };
    },
  };
}
