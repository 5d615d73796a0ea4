import type { Endpoint, Freshness, TypedName } from "@muster/core";

/**
 * An endpoint as readers of a fleet see it. It is live: each property gives the current, immutable
 * value, so read once what has to fit together. After its removal it keeps the last values.
 */
export interface FleetEndpoint extends Endpoint {
  /** The aggregate: that of the best source among those that count. */
  readonly freshness: Freshness;
  /** By source, keyed `type/name`; empty when nothing polls. */
  readonly sources: ReadonlyMap<string, Freshness>;
  /** Its discovery is down: it may be gone or have moved. */
  readonly degraded: boolean;
  /** The discovery that reports it. */
  readonly owner: TypedName;
  /** Of its last change: of anything but times and counts of polls. */
  readonly revision: string;
}
