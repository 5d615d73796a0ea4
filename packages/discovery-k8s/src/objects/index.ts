export type { KubernetesNotificationConfig, KubernetesWatcherConfig } from "./config.ts";
export { kubernetesNotificationSource, kubernetesObjectWatcher } from "./plugins.ts";
