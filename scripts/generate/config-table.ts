/** The part of JSON Schema that configuration schemas use. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
}

const begin = "<!-- config:begin -->";
const end = "<!-- config:end -->";

/**
 * A Markdown table of every key of a configuration, nested ones as `outer.inner`. What alternatives
 * have in common at one place is spelled out once.
 */
export function configTable(schema: JsonSchema): string {
  const rows = rowsOf(schema, "", new Set());
  if (rows.length === 0) return "No parameters.";
  return ["| key | type | default | what it does |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

/**
 * Puts a table between the markers of a README.
 *
 * @throws Error when the README has no markers, or has them twice
 */
export function withConfigTable(readme: string, table: string): string {
  const parts = readme.split(begin);
  const [before = "", rest = ""] = parts;
  const after = rest.split(end);
  if (parts.length !== 2 || after.length !== 2)
    throw new Error(`a README with configuration needs ${begin} and ${end} once`);
  return `${before}${begin}\n${table}\n${end}${after[1]}`;
}

function rowsOf(schema: JsonSchema, prefix: string, spelled: Set<string>): string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const path = prefix + key;
    const fallback =
      property.default === undefined
        ? required.has(key) && "required"
        : code(JSON.stringify(property.default));
    const cells = [code(path), typeOf(property), fallback || "", property.description ?? ""];
    const row = `| ${cells.map(cell).join(" | ")} |`;
    const nested = nestedRows(property, path, spelled);
    const text = nested.join("\n");
    if (spelled.has(text)) return [row];
    spelled.add(text);
    return [row, ...nested];
  });
}

function nestedRows(schema: JsonSchema, path: string, spelled: Set<string>): string[] {
  if (schema.properties) return rowsOf(schema, `${path}.`, spelled);
  if (schema.items?.properties) return rowsOf(schema.items, `${path}[].`, spelled);
  if (typeof schema.additionalProperties === "object")
    return rowsOf(schema.additionalProperties, `${path}.*.`, spelled);
  const objects = alternatives(schema).filter((option) => option.properties || option.items);
  return objects.flatMap((option) => nestedRows(option, path, spelled));
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(", ");
  const options = alternatives(schema);
  if (options.length > 0) return [...new Set(options.map(typeOf))].join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === "object")
    return `map of ${typeOf(schema.additionalProperties)}`;
  return [schema.type ?? "any"].flat().join(" or ");
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf ?? schema.oneOf ?? [];
}

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
