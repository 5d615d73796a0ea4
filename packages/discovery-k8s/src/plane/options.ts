import type { KubeApi } from "../api/kube-api.ts";
import type { ClusterConfig } from "../config/cluster-config.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import type { KubeIdentity, ReadinessMode } from "./identity.ts";

/** Options of `createKubeDiscovery`. */
export interface KubeDiscoveryOptions {
  /** The API to use, which stays open; instead of `cluster`. */
  readonly api?: KubeApi | undefined;
  /** Which cluster; default the pod's own when in one, else the default kubeconfig. */
  readonly cluster?: ClusterConfig | undefined;
  /**
   * Who registers; see `readKubeIdentity`. Without one the plane can only be looked at, and its
   * `instanceId` is 0.
   */
  readonly identity?: KubeIdentity | undefined;
  /** Where to look, without an `identity`; default the cluster's. */
  readonly namespace?: string | undefined;
  /** What makes workers ready, without an `identity`; default `pod`. */
  readonly mode?: ReadinessMode | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
  /** ms until `listAndWatch` gives up listing for the first time; default 30,000. */
  readonly syncTimeout?: number | undefined;
  /** Default of the watches' `queueLimit`: 16,384. */
  readonly queueLimit?: number | undefined;
  /** Default of the watches' `resync`: true. */
  readonly resync?: boolean | undefined;
}
