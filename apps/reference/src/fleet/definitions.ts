import fileDiscovery from "@muster/discovery-file";
import kubernetesDiscovery, {
  kubernetesNotificationSource,
  kubernetesObjectWatcher,
} from "@muster/discovery-k8s";
import kvDiscovery from "@muster/discovery-kv";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import {
  createPluginRegistry,
  endpointNotificationSource,
  type PluginRegistry,
} from "@muster/runtime";
import prometheus from "@muster/source-prometheus";

/** The plugins the app brings along; others are named by `package:` in the configuration. */
export function createAppRegistry(): PluginRegistry {
  return createPluginRegistry([
    fileDiscovery,
    kubernetesDiscovery,
    kubernetesNotificationSource,
    kubernetesObjectWatcher,
    kvDiscovery,
    prometheus,
    coreMetrics,
    lora,
    endpointNotificationSource,
  ]);
}
