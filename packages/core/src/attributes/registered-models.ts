import { type AttributeKey, attributeKey } from "../attribute-map.ts";

/** A model that a server has registered. */
export interface RegisteredModel {
  /** The card's `display_name`: what requests ask for. */
  readonly name: string;
  /** Further names it is served under. */
  readonly aliases: readonly string[];
  /** Where it was loaded from; unknown is `null`. */
  readonly sourcePath: string | null;
}

/** A LoRA adapter that a server has registered. */
export interface RegisteredAdapter extends RegisteredModel {
  /** The last part of its record's key, a slug of its name; `null` where the key has none. */
  readonly suffix: string | null;
}

/** What a server says it serves, running or not. Both lists are sorted by name. */
export interface RegisteredModels {
  readonly models: readonly RegisteredModel[];
  readonly adapters: readonly RegisteredAdapter[];
}

/** Models and adapters registered for an endpoint, by `@muster/discovery-kv`. */
export const registeredModels: AttributeKey<RegisteredModels> = attributeKey(
  "registered-models",
  isRegisteredModels,
);

function isRegisteredModels(value: unknown): value is RegisteredModels {
  if (typeof value !== "object" || value === null) return false;
  const { models, adapters } = value as Partial<RegisteredModels>;
  return isList(models, isModel) && isList(adapters, isAdapter);
}

function isList(value: unknown, is: (item: object) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "object" && item !== null && is(item))
  );
}

function isModel({ name, aliases, sourcePath }: Partial<RegisteredModel>): boolean {
  return (
    typeof name === "string" &&
    Array.isArray(aliases) &&
    aliases.every((alias) => typeof alias === "string") &&
    (sourcePath === null || typeof sourcePath === "string")
  );
}

function isAdapter(adapter: Partial<RegisteredAdapter>): boolean {
  const { suffix } = adapter;
  return isModel(adapter) && (suffix === null || typeof suffix === "string");
}
