import { isMusterError } from "@muster/core";
import lora, { type LoraConfig } from "@muster/extractors-lora";
import { describe, expect, it } from "vitest";
import { createBench, fixtureTime, series } from "./support.ts";

const label = "llm-d.ai/engine-type";
const acme = { name: "acme", loraSpec: "acme_adapters{kind=lora}" };
const acmeSeries = `acme_adapters{kind="lora",running_lora_adapters="x"} ${fixtureTime}\n`;

function problems(config: unknown): (string | undefined)[] {
  try {
    lora.create(config as LoraConfig);
  } catch (error) {
    if (isMusterError(error) && error.code === "CONFIG_INVALID")
      return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
    throw error;
  }
  return [];
}

describe("section 8: which engine's adapters", () => {
  const both = series(fixtureTime, "v") + acmeSeries;

  it.each([
    ["acme", ["x"]],
    ["vllm", ["v"]],
    ["llm-d-inference-sim", ["v"]],
    ["sglang", ["v"]],
  ])("the label %s decides where it names an engine with adapters", async (engine, active) => {
    const bench = createBench({ engineConfigs: [acme] }, { [label]: engine });
    await bench.poll(both);
    expect(bench.state?.active).toEqual(active);
  });

  it("engineLabelKey names another label", async () => {
    const bench = createBench({ engineConfigs: [acme], engineLabelKey: "e" }, { e: "acme" });
    await bench.poll(both);
    expect(bench.state?.active).toEqual(["x"]);
  });

  it("without a label the first metric on the page does, the default engine's before others", async () => {
    const bench = createBench({ engineConfigs: [acme] });
    await bench.poll(acmeSeries);
    expect(bench.state?.active).toEqual(["x"]);
    await bench.poll(both);
    expect(bench.state?.active).toEqual(["v"]);
    const byDefault = createBench({ engineConfigs: [acme], defaultEngine: "acme" });
    await byDefault.poll(both);
    expect(byDefault.state?.active).toEqual(["x"]);
  });

  it("a user's engine of a built-in name replaces it", async () => {
    const bench = createBench({ engineConfigs: [{ name: "vllm", loraSpec: "" }] });
    await bench.poll(series(fixtureTime, "v"));
    expect(bench.state).toBeUndefined();
  });

  it("wants each family once", () => {
    expect(lora.create({ engineConfigs: [acme] }).families).toEqual([
      "vllm:lora_requests_info",
      "acme_adapters",
    ]);
  });
});

describe("start-up errors", () => {
  it.each([
    ["a reserved name", { engineConfigs: [{ name: "default" }] }, /^engineConfigs\[0\]\.name: /],
    ["a name twice", { engineConfigs: [acme, acme] }, /^engineConfigs\[1\]\.name: .*twice/],
    [
      "a bad spec",
      { engineConfigs: [{ name: "a", loraSpec: "a{" }] },
      /^engineConfigs\[0\]\.loraSpec: metric spec "a\{": expected/,
    ],
    ["an unknown key", { spec: "a" }, /spec/],
  ])("%s", (_, config, expected) => {
    expect(problems(config)).toEqual([expect.stringMatching(expected)]);
  });

  it("accepts none", () => {
    expect(problems(undefined)).toEqual([]);
  });
});

it("does not make an endpoint fresh", () => {
  expect(lora.create().provides).toBeUndefined();
});
