import type { EndpointInstanceId } from "./endpoint-instance-id.ts";
import type { EventChannelInstanceId } from "./event-channel-instance-id.ts";
import type { EventSourceInstanceId } from "./event-source-instance-id.ts";
import type { ModelCardInstanceId } from "./model-card-instance-id.ts";
import { wrongVariant } from "./plane-error.ts";

/** Who a record is, of any kind; `type` tells which. */
export type DiscoveryInstanceId =
  | EndpointInstanceId
  | ModelCardInstanceId
  | EventChannelInstanceId
  | EventSourceInstanceId;

/**
 * The id, if it is an endpoint's.
 *
 * @throws MusterError PLANE_VARIANT, such as "Expected Endpoint variant, got Model".
 */
export function extractEndpointId(id: DiscoveryInstanceId): EndpointInstanceId {
  if (id.type === "Endpoint") return id;
  throw wrongVariant("Endpoint", id.type);
}

/**
 * The id, if it is a model's.
 *
 * @throws MusterError PLANE_VARIANT, such as "Expected Model variant, got Endpoint".
 */
export function extractModelId(id: DiscoveryInstanceId): ModelCardInstanceId {
  if (id.type === "Model") return id;
  throw wrongVariant("Model", id.type);
}
