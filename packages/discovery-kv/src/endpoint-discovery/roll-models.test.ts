import { createDiscoveryNotifier, typedName } from "@muster/core";
import type { RegisteredModels } from "@muster/core/attributes";
import { EndpointInstance, ModelInstance, RawJson } from "@muster/core/plane";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Departures } from "./departures.ts";
import { Reporter } from "./reporter.ts";
import { Roll } from "./roll.ts";

const who = { namespace: "ns", component: "backend", endpoint: "generate", instanceId: 1n };
const endpoint = new EndpointInstance({ ...who, transport: { tcp: "h:1/1/generate" } });
const base = model({ display_name: "Qwen/Qwen3", aliases: ["z", "q"], source_path: "org/qwen" });
const sql = model({ display_name: "sql", lora: { name: "sql" }, source_path: "org/qwen" }, "sql");
const chat = model({ display_name: "chat", lora: {} }, "chat");
const withoutName = model({ slug: "x" }, "bad");

function model(card: unknown, modelSuffix?: string): ModelInstance {
  return new ModelInstance({ ...who, cardJson: RawJson.of(card), modelSuffix });
}

function setUp() {
  const clock = createFakeClock();
  const meter = createRecordingMeter();
  const logger = createRecordingLogger();
  let models: RegisteredModels | undefined;
  let upserts = 0;
  const notifier = createDiscoveryNotifier({
    endpointUpsert(_metadata, { attributes = [] } = {}) {
      upserts += 1;
      models = attributes[0]?.value as RegisteredModels | undefined;
    },
    endpointDelete() {
      models = undefined;
    },
  });
  const reporter = new Reporter({ plugin: typedName("kv-discovery"), logger, metrics: meter });
  const roll = new Roll({
    notifier,
    reporter,
    clock,
    departures: new Departures({ clock, holdTime: 6000 }),
    settings: { metrics: { enabled: true }, labels: {} },
  });
  roll.open();
  return {
    roll,
    clock,
    logger,
    models: () => models,
    upserts: () => upserts,
    skipped: () => meter.value("muster_discovery_kv_skipped_records"),
  };
}

const expected: RegisteredModels = {
  models: [{ name: "Qwen/Qwen3", aliases: ["q", "z"], sourcePath: "org/qwen" }],
  adapters: [
    { name: "chat", aliases: [], sourcePath: null, suffix: "chat" },
    { name: "sql", aliases: [], sourcePath: "org/qwen", suffix: "sql" },
  ],
};

describe("models of an endpoint", () => {
  it("are the same whatever order the records come in", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([endpoint, base, sql, chat], { minLength: 4 }), (order) => {
        const { roll, models } = setUp();
        for (const record of order) roll.put(record);
        expect(models()).toEqual(expected);
      }),
    );
  });

  it("leave with their records; an adapter leaves the base alone [dynamo#7758]", () => {
    const { roll, models } = setUp();
    for (const record of [endpoint, base, sql, chat]) roll.put(record);
    roll.remove(sql.id());
    roll.remove(chat.id());
    expect(models()).toEqual({ ...expected, adapters: [] });
    roll.remove(base.id());
    expect(models()).toBeUndefined();
    roll.put(base);
    roll.remove(endpoint.id());
    expect(models()).toBeUndefined();
    roll.put(endpoint);
    expect(models()?.models).toEqual(expected.models);
  });

  it("of another instance or endpoint are not theirs", () => {
    const { roll, models } = setUp();
    roll.put(endpoint);
    const cardJson = base.cardJson;
    roll.put(new ModelInstance({ ...who, instanceId: 2n, cardJson }));
    roll.put(new ModelInstance({ ...who, endpoint: "embed", cardJson }));
    roll.put(new ModelInstance({ ...who, namespace: "ns1", cardJson }));
    expect(models()).toBeUndefined();
  });

  it("without a usable card are skipped, counted and logged once; the rest is kept", () => {
    const { roll, models, skipped, logger } = setUp();
    const tooMuch = model({ display_name: "x".repeat(2000) }, "long");
    const aliases = Array.from({ length: 101 }, (_, n) => `a${n}`);
    const tooMany = model({ display_name: "x", aliases }, "many");
    for (const record of [endpoint, base, withoutName, withoutName, tooMuch, tooMany])
      roll.put(record);
    expect([models()?.models, models()?.adapters, skipped()]).toEqual([expected.models, [], 3]);
    const warnings = logger.lines.filter(({ level }) => level === "warn");
    expect(warnings.map(({ fields }) => fields.code)).toEqual(Array(3).fill("PLANE_CARD"));
    for (const record of [withoutName, tooMuch, tooMany]) roll.remove(record.id());
    expect(skipped()).toBe(0);
  });

  it("that changed in what is not shown change nothing", () => {
    const { roll, upserts } = setUp();
    roll.put(endpoint);
    roll.put(base);
    const before = upserts();
    roll.put(model({ ...(base.cardJson.value as object), runtime_config: { taints: ["x"] } }));
    expect(upserts()).toBe(before);
  });

  describe("that are many", () => {
    const adapter = (n: number): ModelInstance =>
      model({ display_name: `m${n}`, lora: {} }, `m${n}`);
    const many = Array.from({ length: 1002 }, (_, n) => adapter(n));
    const names = (models: RegisteredModels | undefined): string[] | undefined =>
      models?.adapters.map(({ name }) => name);

    it("are skipped and counted", async () => {
      const { roll, clock, models, skipped } = setUp();
      for (const each of [endpoint, ...many]) roll.put(each);
      await clock.advance(50);
      expect([models()?.adapters.length, skipped()]).toEqual([1000, 2]);
      for (const each of many) roll.remove(each.id());
      await clock.advance(50);
      expect([models(), skipped()]).toEqual([undefined, 0]);
    });

    it("take the place of those that leave", async () => {
      const { roll, clock, models, skipped } = setUp();
      for (const each of [endpoint, ...many]) roll.put(each);
      for (const each of many.slice(0, 1)) roll.remove(each.id());
      await clock.advance(50);
      expect([names(models())?.includes("m1000"), skipped()]).toEqual([true, 1]);
      roll.replace("Model", many.slice(900));
      await clock.advance(50);
      expect([names(models())?.includes("m1001"), models()?.adapters.length]).toEqual([true, 102]);
      expect(skipped()).toBe(0);
    });

    it("do not make every change tell all of them", async () => {
      const { roll, clock, upserts, models } = setUp();
      for (const each of [endpoint, ...many]) roll.put(each);
      await clock.advance(50);
      const before = upserts();
      for (const each of many.slice(0, 500)) roll.remove(each.id());
      await clock.advance(50);
      expect([upserts() - before, models()?.adapters.length]).toEqual([1, 502]);
      expect(before).toBeLessThan(100);
      roll.remove(endpoint.id());
      expect(models()).toBeUndefined();
    });

    it("are told no more once it is closed", async () => {
      const { roll, clock, upserts } = setUp();
      for (const each of [endpoint, ...many]) roll.put(each);
      const before = upserts();
      roll.close();
      await clock.advance(50);
      expect(upserts()).toBe(before);
    });
  });
});
