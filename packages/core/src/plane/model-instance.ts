import type { StandardSchema } from "../standard-schema.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { ModelSpec } from "./discovery-spec.ts";
import { ModelCardInstanceId } from "./model-card-instance-id.ts";
import { checkKeyPart } from "./plane-name.ts";
import type { RawJson } from "./raw-json.ts";
import { checkRawJson } from "./raw-json.ts";
import { checkU64 } from "./u64.ts";
import {
  copyUnknownFields,
  equalUnknownFields,
  type UnknownField,
  type UnknownFieldsInit,
} from "./unknown-fields.ts";
import { validateCard } from "./validate-card.ts";

/** What a {@link ModelInstance} is made of. */
export interface ModelInstanceInit
  extends Omit<ModelSpec, "type" | "modelSuffix">,
    UnknownFieldsInit {
  readonly instanceId: bigint;
  /** Slug of a LoRA adapter; empty and null mean none. */
  readonly modelSuffix?: string | null | undefined;
}

/** A registered model, or a LoRA adapter of one. Frozen. */
export class ModelInstance {
  readonly type = "Model" as const;
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;
  readonly cardJson: RawJson;
  /** Undefined for a base model; never empty. */
  readonly modelSuffix: string | undefined;
  /** What this version does not know of the record; written back. */
  readonly unknownFields: readonly UnknownField[];

  /**
   * @throws MusterError PLANE_NAME for a `/` in a name, PLANE_RECORD for a bad id, PLANE_CARD for a
   * card that is no RawJson.
   */
  constructor(init: ModelInstanceInit) {
    const { modelSuffix } = init;
    this.namespace = checkKeyPart(init.namespace, "namespace");
    this.component = checkKeyPart(init.component, "component");
    this.endpoint = checkKeyPart(init.endpoint, "endpoint");
    this.instanceId = checkU64(init.instanceId, "instanceId");
    this.cardJson = checkRawJson(init.cardJson, "PLANE_CARD", "cardJson");
    this.modelSuffix = modelSuffix ? checkKeyPart(modelSuffix, "modelSuffix") : undefined;
    this.unknownFields = copyUnknownFields(init.unknownFields);
    Object.freeze(this);
  }

  id(): ModelCardInstanceId {
    return new ModelCardInstanceId(this);
  }

  /**
   * The card, checked and typed by a schema; integers beyond ±(2^53-1) in it are bigint.
   *
   * @throws MusterError PLANE_CARD with what is wrong; also for a schema that is asynchronous.
   */
  deserializeModel<T>(schema: StandardSchema<unknown, T>): T {
    return validateCard(this, schema);
  }

  equals(other: DiscoveryInstance): boolean {
    return (
      other.type === "Model" &&
      this.instanceId === other.instanceId &&
      this.namespace === other.namespace &&
      this.component === other.component &&
      this.endpoint === other.endpoint &&
      this.modelSuffix === other.modelSuffix &&
      this.cardJson.equals(other.cardJson) &&
      equalUnknownFields(this.unknownFields, other.unknownFields)
    );
  }
}
