import { encodeInstance, RawJson, withInstanceId } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { modelCard, slugify } from "./card.ts";
import { type ServerRecords, specsOf } from "./specs.ts";

const server: ServerRecords = {
  ...{ namespace: "dynamo", component: "backend", endpoint: "generate", loras: [] },
  transport: (id) => ({ tcp: `10.0.0.5:41234/${id.toString(16)}/generate` }),
};

function wire(records: ServerRecords, id = 0x694d8a1b2c3d4e5fn): string[] {
  return specsOf(records, id).map((spec) => encodeInstance(withInstanceId(spec, id)));
}

describe("specsOf", () => {
  it("makes the endpoint's record as the original writes it", () => {
    expect(wire(server)).toEqual([
      '{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":7587872796500119135,"transport":{"tcp":"10.0.0.5:41234/694d8a1b2c3d4e5f/generate"}}',
    ]);
  });

  it("makes a card with every field that the original's reader requires", () => {
    const [, model = ""] = wire({ ...server, card: modelCard("Qwen/Qwen3-0.6B") });
    expect(model).toMatch(
      /^\{"type":"Model","namespace":"dynamo",.*"instance_id":7587872796500119135,"card_json":\{/,
    );
    const { card_json } = JSON.parse(model) as { card_json: object };
    expect(card_json).toMatchObject({ display_name: "Qwen/Qwen3-0.6B", slug: "qwen_qwen3-0_6b" });
    for (const field of [
      "model_info",
      "tokenizer",
      "kv_cache_block_size",
      "migration_limit",
      "model_type",
      "model_input",
    ])
      expect(card_json).toHaveProperty(field);
  });

  it("keeps a given card to the byte, and gives adapters its fields under their own names", () => {
    const text = '{"display_name":"base", "big":18446744073709551615,"x":1.50,"aliases":["b"]}';
    const [, base = "", adapter = ""] = wire({
      ...server,
      card: RawJson.parse(text),
      loras: ["SQL.v2"],
    });
    expect(base).toContain(`"card_json":${text}}`);
    expect(adapter).toMatch(/"big":18446744073709551615,.*"model_suffix":"sql_v2"\}$/);
    expect((JSON.parse(adapter) as { card_json: object }).card_json).toMatchObject({
      ...{ display_name: "SQL.v2", slug: "sql_v2", source_path: "base", aliases: [] },
      ...{ lora: { name: "SQL.v2" }, user_data: { lora_adapter: true } },
    });
  });

  it.each([
    [{ card: RawJson.parse('{"slug":"m"}') }, "PLANE_CARD"],
    [{ transport: () => ({ tcp: 5 }) as never }, "PLANE_RECORD"],
    [{ endpoint: "a/b" }, "PLANE_NAME"],
  ])("refuses %j as a whole", (wrong, code) => {
    expect(() => specsOf({ ...server, ...wrong }, 1n)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [["a"], undefined, "USAGE"],
    [["A.b", "a_b"], modelCard("m"), "USAGE"],
    [["__"], modelCard("m"), "PLANE_NAME"],
    [["a"], RawJson.parse("null"), "PLANE_CARD"],
    [["a"], RawJson.parse("[]"), "PLANE_CARD"],
    [["m"], modelCard("m"), "PLANE_CONFLICT"],
  ])("refuses adapters %j", (loras, card, code) => {
    expect(() => specsOf({ ...server, card, loras }, 1n)).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

it.each([
  ["Qwen/Qwen3-0.6B", "qwen_qwen3-0_6b"],
  ["__A.b C", "a_b_c"],
  ["ü", ""],
])("slugify(%j)", (name, slug) => {
  expect(slugify(name)).toBe(slug);
});
