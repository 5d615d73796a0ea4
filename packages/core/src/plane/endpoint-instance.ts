import type { StandardSchema } from "../standard-schema.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { EndpointSpec } from "./discovery-spec.ts";
import { EndpointInstanceId } from "./endpoint-instance-id.ts";
import { noModel } from "./plane-error.ts";
import { checkKeyPart, checkOptionalText } from "./plane-name.ts";
import { copyTransport, equalTransport } from "./transport.ts";
import type { TransportType } from "./transport-type.ts";
import { checkU64 } from "./u64.ts";
import {
  copyUnknownFields,
  equalUnknownFields,
  type UnknownField,
  type UnknownFieldsInit,
} from "./unknown-fields.ts";

/** What an {@link EndpointInstance} is made of. */
export interface EndpointInstanceInit extends Omit<EndpointSpec, "type">, UnknownFieldsInit {
  readonly instanceId: bigint;
}

/** A registered endpoint. Frozen. */
export class EndpointInstance {
  readonly type = "Endpoint" as const;
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;
  readonly transport: TransportType;
  /** Such as `cpu` or `cuda`. */
  readonly deviceType: string | undefined;
  /** `json` or `msgpack`; undefined means the original's first JSON codec. */
  readonly requestPlaneCodec: string | undefined;
  /** What this version does not know of the record; written back. */
  readonly unknownFields: readonly UnknownField[];

  /** @throws MusterError PLANE_NAME for a `/` in a name, PLANE_RECORD for anything else. */
  constructor(init: EndpointInstanceInit) {
    this.namespace = checkKeyPart(init.namespace, "namespace");
    this.component = checkKeyPart(init.component, "component");
    this.endpoint = checkKeyPart(init.endpoint, "endpoint");
    this.instanceId = checkU64(init.instanceId, "instanceId");
    this.transport = copyTransport(init.transport);
    this.deviceType = checkOptionalText(init.deviceType, "deviceType");
    this.requestPlaneCodec = checkOptionalText(init.requestPlaneCodec, "requestPlaneCodec");
    this.unknownFields = copyUnknownFields(init.unknownFields);
    Object.freeze(this);
  }

  id(): EndpointInstanceId {
    return new EndpointInstanceId(this);
  }

  /** @throws MusterError PLANE_VARIANT always: an endpoint has no model card. */
  deserializeModel<T>(_schema: StandardSchema<unknown, T>): T {
    throw noModel(this.type);
  }

  equals(other: DiscoveryInstance): boolean {
    return (
      other.type === "Endpoint" &&
      this.instanceId === other.instanceId &&
      this.namespace === other.namespace &&
      this.component === other.component &&
      this.endpoint === other.endpoint &&
      equalTransport(this.transport, other.transport) &&
      this.deviceType === other.deviceType &&
      this.requestPlaneCodec === other.requestPlaneCodec &&
      equalUnknownFields(this.unknownFields, other.unknownFields)
    );
  }

  /** `{namespace}/{component}/{endpoint}/{decimal id}`: what the original prints and sorts by. */
  toString(): string {
    return `${this.namespace}/${this.component}/${this.endpoint}/${this.instanceId}`;
  }
}
