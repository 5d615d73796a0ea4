import { namespacedName, typedName } from "@muster/core";
import { engineState, loraState, registeredModels } from "@muster/core/attributes";
import { describe, expect, it } from "vitest";
import { meta } from "../../test/support/fleet.ts";
import type { EndpointFilter } from "./endpoint-filter.ts";
import { createEndpointStore } from "./endpoint-store.ts";

function filled() {
  const store = createEndpointStore();
  const owner = store.owner(typedName("d"));
  owner.endpointUpsert(meta("base", { labels: { tier: "gold" }, podName: "p1" }));
  owner.endpointUpsert(meta("lora", { labels: { tier: "gold", zone: "z" }, podName: "p1" }));
  owner.endpointUpsert(meta("busy", { podName: "p2" }));
  owner.endpointUpsert(meta("bare"));
  const [base, lora, busy] = ["base", "lora", "busy"].map((name) =>
    store.writer(`default/${name}`),
  );
  const engine = { engine: "vllm", modelName: "llama", kvMax: null, ranks: [] };
  base?.attributes.put(engineState, engine);
  lora?.attributes.put(loraState, { active: ["a1"], waiting: ["a2"], max: 2, lastSeen: null });
  busy?.updateMetrics({ activeModels: { m1: 0 }, waitingModels: { m2: 0 } });
  const model = { name: "r1", aliases: ["r2"], sourcePath: null };
  store.writer("default/bare")?.attributes.put(registeredModels, {
    models: [model],
    adapters: [{ ...model, name: "r3", aliases: [], suffix: "r3" }],
  });
  const names = (filter?: EndpointFilter): string[] =>
    store.endpoints.list(filter).map(({ id }) => id.replace("default/", ""));
  return { store, owner, names };
}

describe("reading a fleet", () => {
  it("lists all in the order in which they were found, as the same array until one changes", () => {
    const { store, owner, names } = filled();
    expect(names()).toEqual(["base", "lora", "busy", "bare"]);
    const all = store.endpoints.list();
    owner.endpointUpsert(meta("base", { port: 2 }));
    expect(store.endpoints.list()).toBe(all);
    owner.endpointDelete(namespacedName("default", "lora"));
    expect(names()).toEqual(["base", "busy", "bare"]);
    expect(all).toHaveLength(4);
    expect(Object.isFrozen(all)).toBe(true);
  });

  it("filters by labels, all of which must match", () => {
    const { names } = filled();
    expect(names({ labels: { tier: "gold" } })).toEqual(["base", "lora"]);
    expect(names({ labels: { tier: "gold", zone: "z" } })).toEqual(["lora"]);
    expect(names({ labels: JSON.parse('{"__proto__":"x"}') })).toEqual([]);
    expect(names({ labels: { constructor: "x" } })).toEqual([]);
  });

  it.each([
    ["llama", ["base"]],
    ["a1", ["lora"]],
    ["a2", ["lora"]],
    ["m1", ["busy"]],
    ["m2", ["busy"]],
    ["r1", ["bare"]],
    ["r2", ["bare"]],
    ["r3", ["bare"]],
    ["__proto__", []],
    ["toString", []],
  ])("filters by model %s: active or waiting, the engine's own, or registered", (model, found) => {
    expect(filled().names({ model })).toEqual(found);
  });

  it("filters by state: one, or any of several; without sources all are unpolled", () => {
    const { names } = filled();
    expect(names({ state: "fresh" })).toEqual([]);
    expect(names({ state: ["fresh", "unpolled"] })).toHaveLength(4);
    expect(names({ state: "unpolled", model: "m1" })).toEqual(["busy"]);
    expect(names({ state: [] })).toEqual([]);
  });

  it("finds all ranks of a pod, also after it moved, and nothing under an empty pod name", () => {
    const { store, owner } = filled();
    const pod = (name: string): string[] =>
      store.endpoints.byPod("default", name).map(({ id }) => id);
    expect(pod("p1")).toEqual(["default/base", "default/lora"]);
    owner.endpointUpsert(meta("base", { podName: "p2" }));
    expect([pod("p1"), pod("p2")]).toEqual([["default/lora"], ["default/busy", "default/base"]]);
    owner.endpointDelete(namespacedName("default", "busy"));
    expect(pod("p2")).toEqual(["default/base"]);
    expect([pod(""), store.endpoints.byPod("other", "p2")]).toEqual([[], []]);
  });

  it("gives endpoints that cannot be written to", () => {
    const endpoint = filled().store.endpoints.get("default/base");
    expect(endpoint).toBeDefined();
    for (const method of ["updateMetrics", "updateMetadata"])
      expect(method in (endpoint ?? {})).toBe(false);
    expect(() => Object.assign(endpoint ?? {}, { metrics: {} })).toThrow(TypeError);
    expect(endpoint?.freshness.state).toBe("unpolled");
    expect(endpoint?.sources.size).toBe(0);
    expect(String(endpoint)).toContain("default/base (192.0.2.1:8000)");
  });

  it("gives a writer that may write declared attributes only", () => {
    const { store } = filled();
    const writer = store.writer("default/base", new Set(["engine"]));
    const lora = { active: [], waiting: [], max: null, lastSeen: null };
    expect(() => writer?.attributes.put(loraState, lora)).toThrow(
      expect.objectContaining({ code: "ATTRIBUTE_UNDECLARED" }),
    );
    expect(store.writer("default/none")).toBeUndefined();
  });
});
