import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configSchema } from "../src/index.ts";

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** Paths of all keys without further ones below, such as `plugins[].type`. */
function leaves(schema: Schema, path: string): string[] {
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
      leaves(value, path === "" ? key : `${path}.${key}`),
    ),
    ...(schema.items ? leaves(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((part) => leaves(part, path)),
  ].filter((leaf) => leaf !== path);
  return below.length > 0 ? below : [path];
}

it("docs/config.md has a row for every key of a MusterConfig", () => {
  const page = readFileSync(new URL("../../../docs/config.md", import.meta.url), "utf8");
  const schema = configSchema["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) ?? {};
  const keys = new Set(leaves(schema, "").filter((key) => !/discovery\b.*\./.test(key)));
  expect(keys.size).toBeGreaterThan(15);
  const missing = [...keys].filter(
    (key) => !page.includes(`| \`${key.replace(/(discovery)\[\]$/, "$1")}\` |`),
  );
  expect(missing).toEqual([]);
});
