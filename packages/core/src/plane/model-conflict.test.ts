import { describe, expect, it } from "vitest";
import { findModelConflict } from "./model-conflict.ts";
import { readModelIdentity } from "./model-identity.ts";
import { ModelInstance } from "./model-instance.ts";
import { RawJson } from "./raw-json.ts";

const model = (card: unknown, instanceId = 1n, modelSuffix?: string): ModelInstance =>
  new ModelInstance({
    namespace: "n",
    component: "c",
    endpoint: "e",
    instanceId,
    cardJson: RawJson.of(card),
    modelSuffix,
  });

type Card = Readonly<Record<string, unknown>>;
const a: Card = { display_name: "a" };
const from = (source_path: string | null, display_name: string, aliases: string[] = []): Card => ({
  display_name,
  source_path,
  aliases,
});
const lora = (card: Card): Card => ({ ...card, lora: { name: "x" } });

describe("findModelConflict", () => {
  it.each<[string, Card, Card, boolean]>([
    ["two bases of one name", a, a, true],
    ["two bases of one name, other sources", from("p", "a"), from("q", "a"), true],
    ["two bases of other names", a, { display_name: "b" }, false],
    ["two bases of one source", from("p", "a"), from("p", "b"), true],
    ["two bases without a source", from("", "a"), from("", "b"), false],
    ["two bases, source null", from(null, "a"), from(null, "b"), false],
    [
      "two bases of one source, alias and name collide",
      from("p", "a"),
      from("p", "b", ["a"]),
      false,
    ],
    [
      "two bases of one source, aliases collide",
      from("p", "a", ["x"]),
      from("p", "b", ["x"]),
      false,
    ],
    ["adapter and base of one source", lora(from("p", "x")), from("p", "a"), true],
    ["adapter and base of other sources", lora(from("q", "x")), from("p", "a"), false],
    ["adapter and base by the base's name", lora(from("a", "x")), a, true],
    ["adapter with the base's name", lora(from("p", "a")), from("p", "a"), false],
    ["adapter with a base's alias", lora(from("p", "x")), from("p", "a", ["x"]), false],
    ["two adapters of one source", lora(from("p", "x")), lora(from("p", "x")), true],
    ["two adapters of other sources", lora(from("p", "x")), lora(from("q", "x")), false],
    ["two adapters by name", lora(a), lora({ display_name: "b" }), false],
  ])("%s: %j beside %j fits: %s", (_name, first, second, fits) => {
    expect(findModelConflict(model(first, 1n), [model(second, 2n)]) === undefined).toBe(fits);
    expect(findModelConflict(model(second, 1n), [model(first, 2n)]) === undefined).toBe(fits);
  });

  it("a suffix makes an adapter", () => {
    expect(readModelIdentity(model(a, 1n, "x")).isLora).toBe(true);
    expect(findModelConflict(model(from("p", "x"), 1n, "x"), [model(from("p", "a"))])).toBe(
      undefined,
    );
  });

  it("says which model is there", () => {
    expect(findModelConflict(model({ display_name: "b" }), [model(a, 2n)])).toMatchObject({
      code: "PLANE_CONFLICT",
      message:
        "Cannot register model 'b' on endpoint 'n/c/e': a different model 'a' is already registered there",
    });
  });

  it("looks at other instances and suffixes of the same endpoint only", () => {
    const other = new ModelInstance({ ...model({ display_name: "b" }, 2n), component: "d" });
    expect(findModelConflict(model(a), [other, model({ display_name: "b" })])).toBe(undefined);
    expect(findModelConflict(model(a), [model({ display_name: "b" }, 1n, "s")])).toBeDefined();
  });

  it("does not let somebody's broken card keep others out", () => {
    const broken = [null, 1, [], {}, { display_name: 1 }, { display_name: "b", aliases: 1 }];
    for (const card of broken)
      expect(findModelConflict(model(a), [model(card, 2n)])).toBe(undefined);
  });
});

describe("readModelIdentity", () => {
  it.each<[unknown, string]>([
    [{}, "failed to deserialize model display_name from card_json"],
    [{ display_name: null }, "failed to deserialize model display_name from card_json"],
    [null, "must be an object"],
    [["a"], "must be an object"],
    [{ display_name: "a", source_path: 1 }, "source_path must be a string"],
    [{ display_name: "a", aliases: ["b", 1] }, "aliases must be a list of strings"],
  ])("refuses the card %j", (card, message) => {
    expect(() => readModelIdentity(model(card))).toThrow(
      expect.objectContaining({ code: "PLANE_CARD", message: `model card of n/c/e/1: ${message}` }),
    );
  });

  it("takes what is missing for empty", () => {
    const card = { display_name: "a", aliases: null, lora: null, source_path: null };
    const expected = { displayName: "a", aliases: [], isLora: false, baseIdentity: "a" };
    expect(readModelIdentity(model(card))).toMatchObject(expected);
    expect(readModelIdentity(model(a))).toEqual(readModelIdentity(model(card)));
  });
});
