import type { StandardSchema } from "@muster/core";
import type { ConfigPath } from "./report.ts";

/** A JSON Schema (2020-12), as far as it is looked into here. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** References followed in a row; ends a schema that refers to itself. */
const maxReferences = 32;

/** The JSON Schema of what a validator takes; "anything" when it cannot say. */
export function jsonSchemaOf(schema: StandardSchema<unknown, unknown>): JsonSchema {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) ?? {};
  } catch {
    // the interface lets a validator throw for what JSON Schema cannot express
    return {};
  }
}

/** The schemas that apply to one place of a document: several where there are alternatives. */
export class SchemaCursor {
  readonly #root: JsonSchema;
  readonly #schemas: readonly JsonSchema[];

  private constructor(root: JsonSchema, schemas: readonly JsonSchema[]) {
    this.#root = root;
    this.#schemas = schemas.flatMap((schema) => alternatives(schema, root));
  }

  static of(root: JsonSchema): SchemaCursor {
    return new SchemaCursor(root, [root]);
  }

  step(key: string | number): SchemaCursor {
    return new SchemaCursor(
      this.#root,
      this.#schemas.flatMap((schema) => stepInto(schema, key)),
    );
  }

  at(path: ConfigPath): SchemaCursor {
    return path.reduce<SchemaCursor>((cursor, key) => cursor.step(key), this);
  }

  /** Names of the properties that may stand here. */
  get keys(): string[] {
    return [...new Set(this.#schemas.flatMap(({ properties }) => keysOf(properties)))];
  }

  /** Whether a secret stands here: `writeOnly`, or the format `password`. */
  get secret(): boolean {
    return this.#schemas.some(
      ({ writeOnly, format }) => writeOnly === true || format === "password",
    );
  }
}

function alternatives(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > maxReferences) return [];
  const { $ref } = schema;
  const referred = typeof $ref === "string" ? resolveReference($ref, root) : undefined;
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((part) =>
    Array.isArray(part) ? part.filter(isSchema) : [],
  );
  const deeper = referred === undefined ? parts : [referred, ...parts];
  return [schema, ...deeper.flatMap((part) => alternatives(part, root, depth + 1))];
}

function resolveReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isSchema(at) ? at : undefined;
}

function stepInto(schema: JsonSchema, key: string | number): JsonSchema[] {
  const { properties, items, additionalProperties } = schema;
  if (typeof key === "number") return isSchema(items) ? [items] : [];
  if (isSchema(properties) && Object.hasOwn(properties, key))
    return [properties[key]].filter(isSchema);
  return isSchema(additionalProperties) ? [additionalProperties] : [];
}

function keysOf(properties: unknown): string[] {
  return isSchema(properties) ? Object.keys(properties) : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
