import type { EndpointMetadata } from "@muster/core";
import type { ScrapeTarget } from "../transport/transport.ts";

/** What a source says where an endpoint does not. */
export interface TargetDefaults {
  readonly scheme: "http" | "https";
  readonly path: string;
  readonly port?: string | undefined;
}

/** Where an endpoint's metrics are: what it says itself, then the source's settings, then where it serves. */
export function targetOf(metadata: EndpointMetadata, defaults: TargetDefaults): ScrapeTarget {
  const { metrics } = metadata;
  return {
    scheme: metrics.scheme ?? defaults.scheme,
    address: metrics.address ?? metadata.address,
    port: metrics.port ?? defaults.port ?? metadata.port,
    path: metrics.path ?? defaults.path,
  };
}
