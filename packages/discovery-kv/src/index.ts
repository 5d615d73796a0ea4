export { createKvDiscovery, type KvDiscoveryOptions } from "./kv-discovery.ts";
