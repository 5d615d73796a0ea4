import { describe, expect, it } from "vitest";
import { ModelInstance } from "./model-instance.ts";
import { changedTaints, readTaints, withTaints } from "./model-taints.ts";
import { RawJson } from "./raw-json.ts";

const model = (card: string, modelSuffix?: string): ModelInstance =>
  new ModelInstance({
    namespace: "n",
    component: "c",
    endpoint: "e",
    instanceId: 1n,
    cardJson: RawJson.parse(card),
    modelSuffix,
  });

describe("withTaints", () => {
  it.each([
    [`{}`, `{"runtime_config":{"taints":["a","b"]}}`],
    [`{ }`, `{ "runtime_config":{"taints":["a","b"]}}`],
    [`{"n": 1.0 }`, `{"n": 1.0 ,"runtime_config":{"taints":["a","b"]}}`],
    [`{"runtime_config":null,"n":1e400}`, `{"runtime_config":{"taints":["a","b"]},"n":1e400}`],
    [`{"runtime_config":{},"n":1}`, `{"runtime_config":{"taints":["a","b"]},"n":1}`],
    [
      `{"x":-0, "runtime_config" : {"k": 0.10, "taints" : ["z"] ,"l":1}, "y":18446744073709551615}`,
      `{"x":-0, "runtime_config" : {"k": 0.10, "taints" : ["a","b"] ,"l":1}, "y":18446744073709551615}`,
    ],
    [`{"runtime_config":{"taints":null}}`, `{"runtime_config":{"taints":["a","b"]}}`],
    [
      `{"runtime_config":{"taints":[1]},"runtime_config":{"taints":[]}}`,
      `{"runtime_config":{"taints":[1]},"runtime_config":{"taints":["a","b"]}}`,
    ],
    [
      `{"runtime_config":{"topology_domains":{"zone":"z1","__proto__":"p"}}}`,
      `{"runtime_config":{"topology_domains":{"zone":"z1","__proto__":"p"},"taints":["a","b","dynamo.topology/__proto__=p","dynamo.topology/zone=z1"]}}`,
    ],
  ])("changes nothing else in %s", (card, expected) => {
    const changed = withTaints(model(card), ["b", "a", "b"]);
    expect(changed.cardJson.text).toBe(expected);
    expect(readTaints(changed).slice(0, 2)).toEqual(["a", "b"]);
    expect(changedTaints(model(card), changed)).toEqual(readTaints(changed));
  });

  it("sorts by code point, as the original does", () => {
    const taints = ["🐎", "\uffee", "b", "ab", "a"];
    expect(readTaints(withTaints(model("{}"), taints))).toEqual(["a", "ab", "b", "\uffee", "🐎"]);
  });

  it("refuses adapters and taints that follow from the topology", () => {
    const refused = expect.objectContaining({ code: "PLANE_TAINT" });
    expect(() => withTaints(model("{}", "s"), [])).toThrow(refused);
    expect(() => withTaints(model("{}"), ["dynamo.topology/zone=z"])).toThrow(refused);
    expect(() => withTaints(model("{}"), [1 as never])).toThrow(refused);
  });

  it.each([
    `null`,
    `[]`,
    `{"runtime_config":1}`,
    `{"runtime_config":[]}`,
    `{"runtime_config":{"topology_domains":[]}}`,
    `{"runtime_config":{"topology_domains":{"zone":1}}}`,
  ])("refuses the card %s", (card) => {
    expect(() => withTaints(model(card), [])).toThrow(
      expect.objectContaining({ code: "PLANE_CARD" }),
    );
  });
});

describe("changedTaints", () => {
  it.each([
    [
      `{"a":1,"runtime_config":{"taints":["x"]}}`,
      `{"a":1.0,"runtime_config":{"taints":["y","x"]}}`,
    ],
    [`{"a":1}`, `{"runtime_config":{"taints":["y","x"]},"a":1}`],
    [`{"a":1,"runtime_config":null}`, `{"a":1,"runtime_config":{"taints":["y","x"]}}`],
  ])("%s to %s differ in taints only", (before, after) => {
    expect(changedTaints(model(before), model(after))).toEqual(["x", "y"]);
  });

  it.each([
    [`{"a":1}`, `{"a":2}`],
    [`{"a":1}`, `{"a":1,"runtime_config":{"taints":["x"],"k":1}}`],
    [`{"a":1}`, `{"a":1,"runtime_config":{"taints":"x"}}`],
    [`{"a":1}`, `null`],
    [`null`, `null`],
  ])("%s to %s differ in more, or cannot be read", (before, after) => {
    expect(changedTaints(model(before), model(after))).toBe(undefined);
  });

  it("are those of one record", () => {
    expect(changedTaints(model("{}"), model("{}", "s"))).toBe(undefined);
  });
});

it("readTaints refuses what is no list of strings", () => {
  expect(readTaints(model(`{"runtime_config":{"taints":["b","a","b"]}}`))).toEqual(["a", "b"]);
  expect(() => readTaints(model(`{"runtime_config":{"taints":[1]}}`))).toThrow(
    expect.objectContaining({ code: "PLANE_CARD" }),
  );
});
