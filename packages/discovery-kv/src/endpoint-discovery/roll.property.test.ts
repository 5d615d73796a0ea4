import {
  createDiscoveryNotifier,
  endpointId,
  silentLogger,
  silentMeter,
  systemClock,
  typedName,
} from "@muster/core";
import {
  type DiscoveryInstance,
  EndpointInstance,
  ModelInstance,
  RawJson,
} from "@muster/core/plane";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Departures } from "./departures.ts";
import { Reporter } from "./reporter.ts";
import { Roll } from "./roll.ts";

const who = { namespace: "ns", component: "c", endpoint: "e" };
const transports = [{ tcp: "h:1/x" }, { http: "http://h:2/x" }, { nats_tcp: "s" }, { tcp: "bad" }];
const cards = [{ display_name: "m" }, { display_name: "n", aliases: ["o"] }, { slug: "no name" }];

const ids = fc.bigInt({ min: 0n, max: 3n });
const endpoints = fc
  .tuple(ids, fc.constantFrom(...transports))
  .map(([instanceId, transport]) => new EndpointInstance({ ...who, instanceId, transport }));
const models = fc
  .tuple(ids, fc.constantFrom(...cards), fc.constantFrom(undefined, "a", "b"))
  .map(([instanceId, card, modelSuffix]) => {
    const cardJson = RawJson.of(card);
    return new ModelInstance({ ...who, instanceId, cardJson, modelSuffix });
  });
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.oneof(endpoints, models) }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.oneof(endpoints, models) }) },
  { weight: 1, arbitrary: fc.record({ endpoints: fc.array(endpoints, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ models: fc.array(models, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.constantFrom("open" as const, "withdraw" as const) },
);

function makeRoll(): { roll: Roll; found: Map<string, string> } {
  const found = new Map<string, string>();
  const notifier = createDiscoveryNotifier({
    endpointUpsert(metadata, options) {
      const id = endpointId(metadata.namespacedName);
      const value = JSON.stringify([metadata, options]);
      expect(found.get(id)).not.toBe(value);
      found.set(id, value);
    },
    endpointDelete: (id) => expect(found.delete(endpointId(id))).toBe(true),
  });
  const context = { logger: silentLogger, metrics: silentMeter };
  const reporter = new Reporter({ plugin: typedName("kv-discovery"), ...context });
  const settings = { metrics: { enabled: true }, labels: {} };
  const clock = systemClock;
  const departures = new Departures({ clock, holdTime: 6000 });
  return { roll: new Roll({ notifier, reporter, settings, clock, departures }), found };
}

/** What a roll finds that was given these records only, in this order. */
function foundOf(records: Iterable<DiscoveryInstance>): Map<string, string> {
  const { roll, found } = makeRoll();
  for (const record of records) roll.put(record);
  roll.open();
  return found;
}

it("after any history, what was reported is what the records say, and nothing was said twice", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), (history) => {
      const { roll, found } = makeRoll();
      const records = new Map<string, DiscoveryInstance>();
      const set = (type: "Endpoint" | "Model", all: DiscoveryInstance[]): void => {
        const last = new Map(all.map((record) => [record.id().key, record]));
        for (const [key, record] of records) if (record.type === type) records.delete(key);
        for (const [key, record] of last) records.set(key, record);
        roll.replace(type, [...last.values()]);
      };
      let open = false;
      for (const step of history) {
        if (step === "open") roll.open();
        else if (step === "withdraw") roll.withdraw();
        else if ("put" in step) {
          records.set(step.put.id().key, step.put);
          roll.put(step.put);
        } else if ("remove" in step) {
          records.delete(step.remove.id().key);
          roll.remove(step.remove.id());
        } else if ("endpoints" in step) set("Endpoint", step.endpoints);
        else set("Model", step.models);
        if (typeof step === "string") open = step === "open";
        expect(found).toEqual(open ? foundOf(records.values()) : new Map());
      }
    }),
    { numRuns: 300 },
  );
});
