import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoverySpec } from "./discovery-spec.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { EventChannelInstance } from "./event-channel-instance.ts";
import { EventSourceInstance } from "./event-source-instance.ts";
import { ModelInstance } from "./model-instance.ts";

/**
 * The record of a spec. Endpoints and models get the id; event channels and sources keep their
 * publisher's own.
 *
 * @throws MusterError PLANE_NAME, PLANE_RECORD, PLANE_CARD as the instances' constructors do.
 */
export function withInstanceId(spec: DiscoverySpec, instanceId: bigint): DiscoveryInstance {
  switch (spec.type) {
    case "Endpoint":
      return new EndpointInstance({ ...spec, instanceId });
    case "Model":
      return new ModelInstance({ ...spec, instanceId });
    case "EventChannel":
      return new EventChannelInstance(spec);
    case "EventSource":
      return new EventSourceInstance(spec);
  }
}
