import type { EndpointInstance } from "./endpoint-instance.ts";
import type { EventChannelInstance } from "./event-channel-instance.ts";
import type { EventSourceInstance } from "./event-source-instance.ts";
import type { ModelInstance } from "./model-instance.ts";

/** Anything that is registered; `type` tells the kind, `instanceId` whose it is. */
export type DiscoveryInstance =
  | EndpointInstance
  | ModelInstance
  | EventChannelInstance
  | EventSourceInstance;
