import { describe, expect, it } from "vitest";
import { attributeKey, createAttributes } from "../attribute-map.ts";
import { type EngineState, engineState } from "./engine.ts";
import { type LoraState, loraState } from "./lora.ts";

const lora: LoraState = { active: ["a"], waiting: [], max: 4, lastSeen: 1 };
const engine: EngineState = {
  engine: "vllm",
  modelName: "base",
  kvMax: 0.5,
  ranks: [{ rank: "0", running: 1, waiting: null, kv: 0.5 }],
};

function stored(name: string, value: unknown): ReturnType<typeof createAttributes> {
  const map = createAttributes();
  map.put(attributeKey<unknown>(name), value);
  return map;
}

describe("well-known attributes", () => {
  it("read back with their type", () => {
    expect(stored("lora", lora).get(loraState)).toEqual(lora);
    expect(stored("engine", engine).get(engineState)).toEqual(engine);
    const unknown = { engine: "tgi", modelName: null, kvMax: null, ranks: [] };
    expect(stored("engine", unknown).get(engineState)).toEqual(unknown);
    expect(stored("lora", { ...lora, max: null, lastSeen: null }).get(loraState)?.max).toBeNull();
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["text", "a"],
    ["names that are no list", { ...lora, active: "a" }],
    ["a name that is no text", { ...lora, waiting: [1] }],
    ["a maximum that is text", { ...lora, max: "4" }],
    ["a missing field", { active: [], waiting: [], max: null }],
  ])("loraState reads %s as absent", (_what, value) => {
    expect(stored("lora", value).get(loraState)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["a missing engine", { ...engine, engine: undefined }],
    ["a model that is no text", { ...engine, modelName: 1 }],
    ["usage that is text", { ...engine, kvMax: "0.5" }],
    ["ranks that are no list", { ...engine, ranks: {} }],
  ])("engineState reads %s as absent", (_what, value) => {
    expect(stored("engine", value).get(engineState)).toBeUndefined();
  });
});
