import { definePlugin, type EndpointDiscovery, type PluginDefinition } from "@muster/core";
import { configSchema, type KubernetesDiscoveryConfig } from "./endpoints/config.ts";
import { createKubernetesDiscovery } from "./endpoints/k8s-discovery.ts";

/**
 * Endpoints from the pods of an InferencePool, from pods by label, or from a Service. What is missing (the
 * pool, its kind, a right) is waited for and named; what is known is kept meanwhile. `start` rejects with
 * KUBE_CONFIG only.
 */
const kubernetesDiscovery: PluginDefinition<
  "discovery",
  EndpointDiscovery,
  KubernetesDiscoveryConfig
> = definePlugin({
  kind: "discovery",
  type: "k8s-discovery",
  description: "Discovers the pods of an InferencePool, of a selector or of a Service.",
  configSchema,
  create: (settings, context) => createKubernetesDiscovery(settings, context),
});

export default kubernetesDiscovery;
