import type { EventScope, EventTransport } from "./event-types.ts";
import type { RawJson } from "./raw-json.ts";
import type { TransportType } from "./transport-type.ts";

/** An endpoint to register. */
export interface EndpointSpec {
  readonly type: "Endpoint";
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly transport: TransportType;
  /** Such as `cpu` or `cuda`. */
  readonly deviceType?: string | undefined;
  /** `json` or `msgpack`; unset means the original's first JSON codec. */
  readonly requestPlaneCodec?: string | undefined;
}

/** A model to register on an endpoint; made by {@link fromModel}. */
export interface ModelSpec {
  readonly type: "Model";
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly cardJson: RawJson;
  /** Set for a LoRA adapter: last part of the record's key. Empty means unset. */
  readonly modelSuffix?: string | undefined;
}

/** A channel that events are published on; carries its publisher's own id. */
export interface EventChannelSpec {
  readonly type: "EventChannel";
  readonly scope: EventScope;
  readonly topic: string;
  readonly instanceId: bigint;
  readonly transport: EventTransport;
}

/** A source of events; carries its publisher's own id. */
export interface EventSourceSpec {
  readonly type: "EventSource";
  readonly scope: EventScope;
  readonly topic: string;
  readonly publisherId: bigint;
  readonly metadata: RawJson;
}

/** What can be registered. */
export type DiscoverySpec = EndpointSpec | ModelSpec | EventChannelSpec | EventSourceSpec;
