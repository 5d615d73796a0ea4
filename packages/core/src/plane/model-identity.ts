import type { ModelInstance } from "./model-instance.ts";
import { badCard } from "./validate-card.ts";

/** What a model is to others on its endpoint, from its card. */
export interface ModelIdentity {
  /** The name it is served by; of a LoRA adapter, the adapter's. */
  readonly displayName: string;
  /** Where its weights are from; undefined when the card has none. */
  readonly sourcePath: string | undefined;
  /** Other names it is served by. */
  readonly aliases: readonly string[];
  /** Whether it is an adapter: it has a suffix, or its card a `lora`. */
  readonly isLora: boolean;
  /** What an adapter shares with its base: the source path, else the display name. */
  readonly baseIdentity: string;
}

/**
 * Reads a model's identity from its card.
 *
 * @throws MusterError PLANE_CARD when `display_name` is missing, or a member of another type.
 */
export function readModelIdentity(model: ModelInstance): ModelIdentity {
  const card = cardObject(model);
  const { display_name: displayName, source_path, aliases = null, lora = null } = card;
  if (typeof displayName !== "string")
    throw badCard(model, "failed to deserialize model display_name from card_json");
  if (source_path !== undefined && source_path !== null && typeof source_path !== "string")
    throw badCard(model, "source_path must be a string");
  const sourcePath = source_path || undefined;
  return Object.freeze({
    displayName,
    sourcePath,
    aliases: aliases === null ? Object.freeze([]) : readStrings(model, "aliases", aliases),
    isLora: model.modelSuffix !== undefined || lora !== null,
    baseIdentity: sourcePath ?? displayName,
  });
}

/** The card as an object; PLANE_CARD when it is something else. */
export function cardObject(model: ModelInstance): Readonly<Record<string, unknown>> {
  const { value } = model.cardJson;
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw badCard(model, "must be an object");
}

/** A list of strings from a card; PLANE_CARD when it is something else. */
export function readStrings(model: ModelInstance, name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw badCard(model, `${name} must be a list of strings`);
}
