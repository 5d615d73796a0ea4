import { type AttributeKey, attributeKey } from "../attribute-map.ts";

/** Which LoRA adapters a model server runs. Names are sorted and unique; unknown is `null`. */
export interface LoraState {
  /** Adapters of running requests: loaded on the GPU now. */
  readonly active: readonly string[];
  /** Adapters of waiting requests; may repeat active ones. */
  readonly waiting: readonly string[];
  /** How many adapters fit at once. */
  readonly max: number | null;
  /** When the server last saw this combination, ms since the epoch. */
  readonly lastSeen: number | null;
}

/** LoRA adapters, by `@muster/extractors-lora`. */
export const loraState: AttributeKey<LoraState> = attributeKey("lora", isLoraState);

function isLoraState(value: unknown): value is LoraState {
  if (typeof value !== "object" || value === null) return false;
  const { active, waiting, max, lastSeen } = value as Partial<LoraState>;
  return isNames(active) && isNames(waiting) && isNumberOrNull(max) && isNumberOrNull(lastSeen);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === "number";
}
