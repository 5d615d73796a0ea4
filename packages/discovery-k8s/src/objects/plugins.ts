import {
  definePlugin,
  type NotificationSource,
  type ObjectWatcher,
  type PluginDefinition,
} from "@muster/core";
import {
  type KubernetesNotificationConfig,
  type KubernetesWatcherConfig,
  notificationSchema,
  watcherSchema,
} from "./config.ts";
import { createKubernetesObjectWatcher } from "./object-watcher.ts";

/**
 * Watches Kubernetes objects of any kind for the notification sources of a runtime. What is missing (the
 * kind, a right, the server, the cluster's configuration) is waited for; a watch never throws.
 */
export const kubernetesObjectWatcher: PluginDefinition<
  "object-watcher",
  ObjectWatcher,
  KubernetesWatcherConfig
> = definePlugin({
  kind: "object-watcher",
  type: "k8s-object-watcher",
  description: "Watches Kubernetes objects of any kind for the notification sources.",
  configSchema: watcherSchema,
  create: (settings, context) => createKubernetesObjectWatcher(settings, context),
});

/**
 * Gives notification extractors the changes of one Kubernetes kind. Without a `k8s-object-watcher` in the
 * configuration it brings one with default settings, which watches the namespace of the pod or of the
 * default kubeconfig's context.
 */
export const kubernetesNotificationSource: PluginDefinition<
  "source",
  NotificationSource,
  KubernetesNotificationConfig
> = definePlugin({
  kind: "source",
  type: "k8s-notification-source",
  description: "Gives notification extractors the changes of one Kubernetes kind.",
  configSchema: notificationSchema,
  create: (gvk, { typedName, ...context }): NotificationSource => ({
    typedName,
    variant: "notification",
    gvk: Object.freeze(gvk),
    notify: (event) => event,
    defaultWatcher: kubernetesObjectWatcher.create({}, { ...context, name: undefined }),
  }),
});
