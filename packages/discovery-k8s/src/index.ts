export * from "./api/index.ts";
export type { ClusterConfig } from "./config/cluster-config.ts";
export type { AddressFamily, KubernetesDiscoveryConfig } from "./endpoints/config.ts";
export * from "./objects/index.ts";
export * from "./plane/index.ts";
export { default } from "./plugin.ts";
export * from "./reflector/index.ts";
