import { definePlugin, type EndpointDiscovery, type PluginDefinition } from "@muster/core";
import { registeredModels } from "@muster/core/attributes";
import { createStore } from "../create-store.ts";
import { configSchema, type KvDiscoveryConfig } from "./config.ts";
import { makeDiscovery } from "./kv-endpoint-discovery.ts";

/**
 * Endpoints that register themselves in a key-value store. A store that is not up is waited for, one
 * that is lost later is followed again when it is back; `start` rejects only when the settings are
 * wrong (STORE_CONFIG, STORE_CLIENT, …).
 */
const kvDiscovery: PluginDefinition<"discovery", EndpointDiscovery, KvDiscoveryConfig> =
  definePlugin({
    kind: "discovery",
    type: "kv-discovery",
    description: "Discovers endpoints that register themselves in a key-value store.",
    configSchema,
    produces: [registeredModels],
    create({ store, ...settings }, context) {
      // a plugin's stores end with the plugin's start, so the signal of all of it is of no use here
      const { logger, metrics, clock } = context;
      const openStore = () => createStore(store, { logger, metrics, clock });
      return makeDiscovery({ openStore, settings }, context);
    },
  });

export default kvDiscovery;
