import { describe, expect, it } from "vitest";
import { attributeKey, createAttributes } from "../attribute-map.ts";
import { type EngineState, engineState } from "./engine.ts";
import { type LoraState, loraState } from "./lora.ts";
import { type RegisteredModels, registeredModels } from "./registered-models.ts";

const lora: LoraState = { active: ["a"], waiting: [], max: 4, lastSeen: 1 };
const engine: EngineState = {
  engine: "vllm",
  modelName: "base",
  kvMax: 0.5,
  ranks: [{ rank: "0", running: 1, waiting: null, kv: 0.5 }],
};

const base = { name: "base", aliases: ["b"], sourcePath: "org/base" };
const models: RegisteredModels = {
  models: [base],
  adapters: [{ name: "sql", aliases: [], sourcePath: null, suffix: "sql" }],
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
    expect(stored("registered-models", models).get(registeredModels)).toEqual(models);
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
    ["no adapters", { models: [] }],
    ["models that are no list", { ...models, models: base }],
    ["a model that is nothing", { ...models, models: [null] }],
    ["a model without a name", { ...models, models: [{ ...base, name: undefined }] }],
    ["an alias that is no text", { ...models, models: [{ ...base, aliases: [1] }] }],
    ["a path that is no text", { ...models, models: [{ ...base, sourcePath: 1 }] }],
    ["an adapter without a suffix", { ...models, adapters: [base] }],
  ])("registeredModels reads %s as absent", (_what, value) => {
    expect(stored("registered-models", value).get(registeredModels)).toBeUndefined();
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
