import type { FleetEndpoint } from "../store/fleet-endpoint.ts";

/** Why a feed gives all endpoints: it begins, cannot resume, or the reader was too slow. */
export type SnapshotReason = "start" | "resume" | "overflow";

/**
 * One message of a change feed. Endpoints are live: they show their state at the time they are looked
 * at. `revision` is the one to resume after; an endpoint shown may be newer, in which case it is shown
 * again.
 */
export type FleetChange =
  | {
      readonly type: "snapshot";
      readonly revision: string;
      readonly reason: SnapshotReason;
      /** All there are: whatever the reader knew beside them is gone. */
      readonly endpoints: readonly FleetEndpoint[];
    }
  | { readonly type: "upsert"; readonly revision: string; readonly endpoint: FleetEndpoint }
  | { readonly type: "delete"; readonly revision: string; readonly id: string };
