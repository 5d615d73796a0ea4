export { createStore } from "./create-store.ts";
export type {
  KvDiscoveryConfig,
  KvEndpointsConfig,
  MetricsConfig,
} from "./endpoint-discovery/config.ts";
export {
  createKvEndpointDiscovery,
  type KvEndpointDiscoveryOptions,
} from "./endpoint-discovery/kv-endpoint-discovery.ts";
export { default } from "./endpoint-discovery/plugin.ts";
export { createKvDiscovery, type KvDiscoveryOptions } from "./kv-discovery.ts";
export type { StoreConfig } from "./store-config.ts";
