import type { DiscoveredAttribute, EndpointMetadata, TypedName } from "@muster/core";

/** One discovery and all it reports. */
export interface Owner {
  readonly typedName: TypedName;
  /** By endpoint id. */
  readonly claims: Map<string, Claim>;
  /** Grows with each start of the discovery. */
  pass: number;
  degraded: boolean;
}

/** What one discovery says of one endpoint. */
export interface Claim {
  readonly owner: Owner;
  metadata: EndpointMetadata;
  /** Values are frozen or have `clone()`. */
  attributes: readonly DiscoveredAttribute[];
  /** The pass of the owner in which it was last reported. */
  pass: number;
}
