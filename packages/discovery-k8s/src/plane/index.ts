export type { KubeIdentity, ReadinessMode } from "./identity.ts";
export { createKubeDiscovery } from "./kube-discovery.ts";
export type { KubeDiscoveryOptions } from "./options.ts";
export { type ReadKubeIdentityOptions, readKubeIdentity } from "./read-identity.ts";
