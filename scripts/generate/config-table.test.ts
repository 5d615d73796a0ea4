import { expect, it } from "vitest";
import { configTable, withConfigTable } from "./config-table.ts";

it("lists every key with type, default and description", () => {
  const table = configTable({
    required: ["path"],
    properties: {
      path: { type: "string", description: "The file.\nYAML | JSON." },
      watch: { type: "boolean", default: true },
      mode: { enum: ["a", "b"], default: "a" },
      interval: { anyOf: [{ type: "string" }, { type: "number" }] },
      tls: { type: "object", properties: { ca: { type: "string", description: "PEM." } } },
      engines: { items: { type: "object", properties: { name: { type: "string" } } } },
      headers: { type: "object", additionalProperties: { type: "string" } },
    },
  });
  expect(table.split("\n").slice(2)).toEqual([
    "| `path` | string | required | The file. YAML \\| JSON. |",
    "| `watch` | boolean | `true` |  |",
    '| `mode` | `"a"`, `"b"` | `"a"` |  |',
    "| `interval` | string or number |  |  |",
    "| `tls` | object |  |  |",
    "| `tls.ca` | string |  | PEM. |",
    "| `engines` | list of object |  |  |",
    "| `engines[].name` | string |  |  |",
    "| `headers` | map of string |  |  |",
  ]);
  expect(configTable({})).toBe("No parameters.");
});

it("spells out once what alternatives have in common", () => {
  const tls = { type: "object", properties: { ca: { type: "string" } } };
  const option = (type: string) => ({ properties: { type: { const: type }, tls } });
  const table = configTable({ properties: { store: { oneOf: [option("a"), option("b")] } } });
  expect(table.split("\n").map((row) => row.split(" | ")[0]?.slice(2))).toEqual([
    ...["key", "---", "`store`", "`store.type`", "`store.tls`", "`store.tls.ca`"],
    ...["`store.type`", "`store.tls`"],
  ]);
});

it("replaces what stands between the markers", () => {
  const readme = "# A\n<!-- config:begin -->\nold\n<!-- config:end -->\nB\n";
  expect(withConfigTable(readme, "new")).toBe(
    "# A\n<!-- config:begin -->\nnew\n<!-- config:end -->\nB\n",
  );
});

it.each(["none", "<!-- config:begin -->", "<!-- config:begin --><!-- config:begin -->"])(
  "refuses a README with the wrong markers: %s",
  (readme) => {
    expect(() => withConfigTable(readme, "")).toThrow("needs <!-- config:begin -->");
  },
);
