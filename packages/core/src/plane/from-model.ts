import { MusterError, messageOf } from "../errors.ts";
import type { ModelSpec } from "./discovery-spec.ts";
import { RawJson } from "./raw-json.ts";

/** What {@link fromModel} takes. */
export interface FromModelOptions {
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  /** Anything that JSON can hold; RawJson is taken as it is. */
  readonly card: unknown;
}

/** What {@link fromModelWithSuffix} takes. */
export interface FromModelWithSuffixOptions extends FromModelOptions {
  /** Slug of a LoRA adapter, the last part of the record's key; empty and null mean none. */
  readonly modelSuffix?: string | null | undefined;
}

/**
 * A model to register, its card written as JSON.
 *
 * @throws MusterError PLANE_CARD for a card that JSON cannot hold.
 */
export function fromModel(options: FromModelOptions): ModelSpec {
  const { namespace, component, endpoint, card } = options;
  return fromModelWithSuffix({ namespace, component, endpoint, card });
}

/**
 * A model or LoRA adapter to register, its card written as JSON.
 *
 * @throws MusterError PLANE_CARD for a card that JSON cannot hold.
 */
export function fromModelWithSuffix(options: FromModelWithSuffixOptions): ModelSpec {
  const { namespace, component, endpoint, card, modelSuffix } = options;
  const cardJson = cardOf(card);
  return Object.freeze({
    type: "Model",
    namespace,
    component,
    endpoint,
    cardJson,
    modelSuffix: modelSuffix || undefined,
  });
}

function cardOf(card: unknown): RawJson {
  try {
    return RawJson.of(card);
  } catch (error) {
    throw new MusterError("PLANE_CARD", `model card: ${messageOf(error)}`, { cause: error });
  }
}
