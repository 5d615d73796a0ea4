import {
  createDiscoveryNotifier,
  type EndpointMetadata,
  endpointId,
  typedName,
} from "@muster/core";
import { type RegisteredModels, registeredModels } from "@muster/core/attributes";
import {
  EndpointInstance,
  type EndpointInstanceInit,
  ModelInstance,
  RawJson,
} from "@muster/core/plane";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import type { MetricsSettings } from "./config.ts";
import { Departures } from "./departures.ts";
import { Reporter } from "./reporter.ts";
import { Roll } from "./roll.ts";

const who = { namespace: "ns", component: "backend", endpoint: "generate" };

function endpoint(instanceId: bigint, changes: Partial<EndpointInstanceInit> = {}) {
  const transport = { tcp: `10.0.0.${instanceId}:80/${instanceId.toString(16)}/generate` };
  return new EndpointInstance({ ...who, instanceId, transport, ...changes });
}

function model(instanceId: bigint, card: unknown, modelSuffix?: string) {
  return new ModelInstance({ ...who, instanceId, cardJson: RawJson.of(card), modelSuffix });
}

function setUp({ open = true, metrics = { enabled: true } as MetricsSettings } = {}) {
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const calls: string[] = [];
  const found = new Map<string, { metadata: EndpointMetadata; models?: RegisteredModels }>();
  const notifier = createDiscoveryNotifier({
    endpointUpsert(metadata, { attributes = [] } = {}) {
      const id = endpointId(metadata.namespacedName);
      calls.push(`+${id}`);
      const models = attributes.find(({ key }) => key.name === registeredModels.name)?.value;
      found.set(id, {
        metadata,
        ...(models !== undefined && { models: models as RegisteredModels }),
      });
    },
    endpointDelete(id) {
      calls.push(`-${endpointId(id)}`);
      found.delete(endpointId(id));
    },
  });
  const reporter = new Reporter({ plugin: typedName("kv-discovery"), logger, metrics: meter });
  const settings = { metrics, labels: { tier: "gold", "muster/endpoint": "x" } };
  const clock = createFakeClock();
  const departures = new Departures({ clock, holdTime: 6000 });
  const roll = new Roll({ notifier, reporter, settings, clock, departures });
  if (open) roll.open();
  const skipped = (): number | undefined => meter.value("muster_discovery_kv_skipped_records");
  return { roll, calls, found, logger, skipped };
}

describe("endpoints of records", () => {
  it("have id, address and labels; ids are hexadecimal", () => {
    const { roll, found } = setUp();
    const instanceId = 2n ** 64n - 1n;
    roll.put(endpoint(instanceId, { transport: { tcp: "[::1]:80/x" }, deviceType: "cuda" }));
    const { metadata } = found.get("ns/backend-generate-ffffffffffffffff") ?? {};
    expect(metadata).toMatchObject({
      address: "::1",
      port: "80",
      metricsHost: "[::1]:80",
      podName: "",
    });
    expect({ ...metadata?.labels }).toEqual({
      tier: "gold",
      "muster/namespace": "ns",
      "muster/component": "backend",
      "muster/endpoint": "generate",
      "muster/instance-id": "ffffffffffffffff",
      "muster/transport": "tcp",
      "muster/device-type": "cuda",
    });
  });

  it("on NATS are there, and not polled", () => {
    const { roll, found, skipped } = setUp();
    roll.put(endpoint(1n, { transport: { nats_tcp: "subject" } }));
    const { metadata } = found.get("ns/backend-generate-1") ?? {};
    expect(metadata?.metrics.enabled).toBe(false);
    expect([metadata?.address, metadata?.labels["muster/transport"]]).toEqual([
      "nats.invalid",
      "nats_tcp",
    ]);
    expect(skipped()).toBe(0);
  });

  it("are reported when they change, and only then; a changed transport is an update", () => {
    const { roll, calls, found } = setUp();
    roll.put(endpoint(1n));
    roll.put(endpoint(2n));
    roll.put(endpoint(1n));
    roll.put(endpoint(1n, { transport: { tcp: "10.9.9.9:1/1/generate" } }));
    roll.put(
      endpoint(1n, { transport: { tcp: "10.9.9.9:1/1/generate" }, requestPlaneCodec: "json" }),
    );
    roll.remove(endpoint(2n).id());
    roll.remove(endpoint(3n).id());
    const [one, two] = ["ns/backend-generate-1", "ns/backend-generate-2"];
    expect(calls).toEqual([`+${one}`, `+${two}`, `+${one}`, `-${two}`]);
    expect(found.get(one)?.metadata.address).toBe("10.9.9.9");
  });

  it.each([
    ["a name with a space", { component: "a b" }],
    ["no namespace", { namespace: "" }],
    ["a name that is too long", { endpoint: "e".repeat(250) }],
    ["a transport without port", { transport: { tcp: "10.0.0.1" } }],
  ])("are skipped, counted and logged once for %s", (_what, changes) => {
    const { roll, calls, logger, skipped } = setUp();
    const bad = endpoint(1n, changes);
    roll.put(bad);
    roll.put(endpoint(1n, { ...changes, deviceType: "cpu" }));
    roll.put(endpoint(2n));
    expect([calls, skipped()]).toEqual([["+ns/backend-generate-2"], 1]);
    expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    roll.remove(bad.id());
    expect(skipped()).toBe(0);
  });

  it("that turn bad are withdrawn: their old address is not theirs any more", () => {
    const { roll, calls, skipped } = setUp();
    roll.put(endpoint(1n));
    roll.put(endpoint(1n, { transport: { tcp: "?" } }));
    roll.put(endpoint(1n));
    const id = "ns/backend-generate-1";
    expect([calls, skipped()]).toEqual([[`+${id}`, `-${id}`, `+${id}`], 0]);
  });

  it("whose metrics cannot be located are there, not polled, and counted", () => {
    const { roll, found, skipped } = setUp({
      metrics: { enabled: true, address: "{component}.svc" },
    });
    roll.put(endpoint(1n, { component: "evil.com" }));
    expect(found.get("ns/evil.com-generate-1")?.metadata.metrics.enabled).toBe(false);
    expect(skipped()).toBe(1);
  });

  it("with one id between two records belong to the first, then to the other", () => {
    const { roll, calls, found, skipped } = setUp();
    const first = endpoint(1n, { component: "a", endpoint: "b-c" });
    const second = endpoint(1n, { component: "a-b", endpoint: "c", transport: { tcp: "h:1/x" } });
    const id = "ns/a-b-c-1";
    roll.put(first);
    roll.put(second);
    expect([calls, skipped()]).toEqual([[`+${id}`], 1]);
    roll.remove(first.id());
    expect([calls, skipped()]).toEqual([[`+${id}`, `-${id}`, `+${id}`], 0]);
    expect(found.get(id)?.metadata.address).toBe("h");
    roll.remove(second.id());
    expect(found.size).toBe(0);
  });
});

describe("opening, replacing and withdrawing", () => {
  it("reports nothing while it is closed, then all of it", () => {
    const { roll, calls } = setUp({ open: false });
    roll.put(endpoint(1n));
    roll.put(endpoint(2n));
    roll.remove(endpoint(1n).id());
    expect(calls).toEqual([]);
    roll.open();
    roll.open();
    expect(calls).toEqual(["+ns/backend-generate-2"]);
  });

  it("takes a whole set over by difference", () => {
    const { roll, calls } = setUp();
    roll.replace("Endpoint", [endpoint(1n), endpoint(2n)]);
    roll.replace("Model", [model(2n, { display_name: "m" })]);
    calls.length = 0;
    roll.replace("Endpoint", [endpoint(2n), endpoint(3n)]);
    roll.replace("Model", [model(2n, { display_name: "m" })]);
    expect(calls).toEqual(["-ns/backend-generate-1", "+ns/backend-generate-3"]);
    roll.replace("Model", []);
    expect(calls.slice(2)).toEqual(["+ns/backend-generate-2"]);
  });

  it("withdraws what it reported, goes on listening, and reports again", () => {
    const { roll, calls, found } = setUp();
    roll.replace("Endpoint", [endpoint(1n), endpoint(2n)]);
    expect([roll.withdraw(), found.size]).toEqual([2, 0]);
    roll.remove(endpoint(1n).id());
    calls.length = 0;
    roll.open();
    expect(calls).toEqual(["+ns/backend-generate-2"]);
  });
});
