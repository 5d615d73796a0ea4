import {
  createEndpoint,
  createEndpointMetadata,
  type EndpointMetadataInit,
  type EndpointOptions,
  type ModelServer,
} from "@muster/core";

/**
 * Makes an endpoint to hand to an extractor; by default `default/server-1` at `192.0.2.1:8000`, an
 * address reserved for documentation (RFC 5737).
 */
export function createFakeEndpoint(
  init: Partial<EndpointMetadataInit> = {},
  options: EndpointOptions = {},
): ModelServer {
  const metadata = { name: "server-1", address: "192.0.2.1", port: 8000, ...init };
  return createEndpoint(createEndpointMetadata(metadata), options);
}
