import { MusterError } from "@muster/core";
import { RawJson } from "@muster/core/plane";

/**
 * A card for a server that speaks OpenAI's API itself: every field that the original's reader requires,
 * with `null` where the server, not the frontend, has the tokenizer. 16 is vLLM's default block size.
 */
export function modelCard(name: string): RawJson {
  return RawJson.of({
    display_name: name,
    slug: slugify(name),
    source_path: name,
    model_info: null,
    tokenizer: null,
    kv_cache_block_size: 16,
    migration_limit: 0,
    model_type: "Chat | Completions",
    model_input: "Text",
  });
}

/**
 * The card of an adapter: its base's, under the adapter's name. `source_path` is what tells that both
 * belong together, so a base without one lends its name.
 *
 * @throws MusterError PLANE_CARD when the base's card is no object.
 */
export function adapterCard(base: RawJson, name: string): RawJson {
  const card = base.value as Readonly<Record<string, unknown>> | null;
  if (typeof card !== "object" || card === null || Array.isArray(card))
    throw new MusterError("PLANE_CARD", "a card must be a JSON object with a display_name");
  return RawJson.of({
    ...card,
    display_name: name,
    slug: slugify(name),
    source_path: card.source_path ?? card.display_name,
    aliases: [],
    lora: { name },
    user_data: { lora_adapter: true },
  });
}

/** The original's slug: lower case, `_` for whatever is not a letter, a digit, `-` or `_`, none in front. */
export function slugify(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/gu, "_")
    .replace(/^_+/, "");
}
