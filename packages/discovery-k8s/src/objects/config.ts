import type { GroupVersionKind, StandardSchema } from "@muster/core";
import * as z from "zod";
import { type ClusterConfig, clusterSchema } from "../config/cluster-config.ts";

/** Configuration of the plugin `k8s-notification-source`, named as in llm-d. */
export interface KubernetesNotificationConfig {
  /** API group; default the core group, which is the empty string. */
  readonly group?: string | undefined;
  /** Such as `v1`. */
  readonly version: string;
  /** Such as `Pod`. */
  readonly kind: string;
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Checks a {@link KubernetesNotificationConfig}. */
export const notificationSchema: StandardSchema<KubernetesNotificationConfig, GroupVersionKind> =
  z.strictObject({
    group: z
      .string()
      .max(253)
      .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/, "must be an API group, or empty")
      .default("")
      .describe("API group; empty for the core group."),
    version: z.string().max(63).regex(label, "must be a version").describe("Such as `v1`."),
    kind: z
      .string()
      .max(63)
      .regex(/^[A-Za-z][A-Za-z0-9]*$/, "must be a kind such as Pod")
      .describe("Such as `Pod`."),
  });

/** Configuration of the plugin `k8s-object-watcher`. */
export interface KubernetesWatcherConfig {
  /** Namespaces to look in, or all; default that of the context or the pod. */
  readonly namespaces?: readonly string[] | "all" | undefined;
  /** Only objects with these labels, such as `app=vllm,tier!=test`. */
  readonly labelSelector?: string | undefined;
  /** Only objects with these fields; which ones can be asked for depends on the kind. */
  readonly fieldSelector?: string | undefined;
  readonly cluster?: ClusterConfig | undefined;
}

/** A {@link KubernetesWatcherConfig} with its defaults. */
export type KubernetesWatcherSettings = KubernetesWatcherConfig & {
  readonly cluster: ClusterConfig;
};

const selector = (what: string) => z.string().min(1).max(4096).optional().describe(what);

/** Checks a {@link KubernetesWatcherConfig}. */
export const watcherSchema: StandardSchema<KubernetesWatcherConfig, KubernetesWatcherSettings> =
  z.strictObject({
    namespaces: z
      .union([
        z.literal("all"),
        z
          .array(z.string().max(63).regex(label, "must be a name of a-z, 0-9 and -"))
          .min(1)
          .max(100)
          .refine((names) => new Set(names).size === names.length, "has a namespace twice"),
      ])
      .optional()
      .describe("Namespaces to look in, or `all`; otherwise that of the context or the pod."),
    labelSelector: selector("Only objects with these labels, such as `app=vllm,tier!=test`."),
    fieldSelector: selector(
      "Only objects with these fields; which ones can be asked for depends on the kind.",
    ),
    cluster: clusterSchema
      .default({})
      .describe("Which cluster; otherwise the pod's own, or the default kubeconfig."),
  });
