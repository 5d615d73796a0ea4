import { MusterError, type PluginContext } from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import type { StoreConfig } from "./store-config.ts";

/**
 * Makes the store of a configuration; the code of its type is loaded only now, a client library where
 * it needs one at the store's first use. Nothing is contacted.
 *
 * @throws MusterError STORE_CONFIG, for an unknown type too
 */
export async function createStore(
  config: StoreConfig,
  context: Partial<PluginContext> = {},
): Promise<KeyValueStore> {
  switch (config.type) {
    case "memory": {
      const { createMemoryStore, memoryRegistry } = await import("./memory/index.ts");
      return createMemoryStore({ registry: memoryRegistry(config.registry) }, context);
    }
    case "file": {
      const { type: _, ...options } = config;
      return (await import("./file/index.ts")).createFileStore(options, context);
    }
    case "etcd": {
      const { type: _, ...options } = config;
      return (await import("./etcd/index.ts")).createEtcdStore(options, context);
    }
    case "nats": {
      const { type: _, ...options } = config;
      return (await import("./nats/index.ts")).createNatsStore(options, context);
    }
    default:
      throw new MusterError(
        "STORE_CONFIG",
        `store type ${JSON.stringify((config as { type: unknown }).type)} is none of memory, file, etcd, nats`,
        { path: "type" },
      );
  }
}
