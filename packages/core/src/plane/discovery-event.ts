import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { ModelCardInstanceId } from "./model-card-instance-id.ts";

/**
 * What a watch reports. `Added` is also how a changed endpoint shows (same id, new value); `Removed`
 * may name an id this stream never added; `Resync` holds everything that is there, after the
 * differences that led to it: once after the first `Added`s, and again whenever something may have
 * been missed.
 */
export type DiscoveryEvent =
  | { readonly type: "Added"; readonly instance: DiscoveryInstance }
  | { readonly type: "Removed"; readonly id: DiscoveryInstanceId }
  | {
      readonly type: "ModelTaintsUpdated";
      readonly id: ModelCardInstanceId;
      /** Sorted. */
      readonly taints: readonly string[];
    }
  | { readonly type: "Resync"; readonly instances: readonly DiscoveryInstance[] };
