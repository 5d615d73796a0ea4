import { encodeInstance } from "@muster/core/plane";
import {
  createRecordingLogger,
  createRecordingMeter,
  type RecordingLogger,
  type RecordingMeter,
} from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeIdentity } from "../../src/index.ts";
import { Log } from "./log.ts";
import { endpointKey, endpointRecord, endpointsData } from "./records.ts";
import { openPlaneWorld, type PlaneWorld } from "./world.ts";

const all = { type: "AllEndpoints" } as const;
const added = `Added ${endpointKey("worker-0")}`;
const removed = `Removed ${endpointKey("worker-0")}`;

let world: PlaneWorld;
let identity: KubeIdentity;
let meter: RecordingMeter;
let logger: RecordingLogger;
let log: Log;

beforeEach(async () => {
  world = await openPlaneWorld();
  identity = await world.cluster.readyPod("worker-0");
  meter = createRecordingMeter();
  logger = createRecordingLogger();
  log = new Log(await world.plane({}, { metrics: meter, logger }).listAndWatch(all));
  await log.says("Resync");
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

function skipped(reason: string): number {
  return meter.value("muster_plane_records_skipped_total", { reason }) ?? 0;
}

/** Another worker, of which only the arrival counts: what was written before it has been seen. */
async function marker(): Promise<void> {
  const other = await world.cluster.readyPod("worker-1");
  await world.cluster.putWorker(other, endpointsData("worker-1"));
  await log.shows(() => expect(log.said.at(-1)).toBe(`Added ${endpointKey("worker-1")}`));
}

describe("the data of a worker's object", () => {
  it("is read with missing and null maps, and keys of any form", async () => {
    const { data } = endpointsData("worker-0");
    const strange = { model_cards: null, event_channels: null, metrics_endpoints: { a: 1 } };
    await world.cluster.putWorker(identity, { data: { ...data, ...strange } });
    await log.says("Resync", added);
    expect(skipped("PLANE_RECORD")).toBe(0);
  });

  it.each([
    ["an entry of an unknown type", { type: "Rocket" }, "PLANE_RECORD_TYPE"],
    ["an entry of another kind", { ...endpointRecord("worker-0"), type: "Model" }, "PLANE_RECORD"],
    ["an entry that is null", null, "PLANE_RECORD"],
    ["an entry that nests too deep", nested(140), "PLANE_JSON"],
    ["an entry that nests far too deep", nested(900), "PLANE_JSON"],
    ["an entry that nests deeper than can be read exactly", nested(3000), "PLANE_JSON"],
  ])("loses %s, and no other", async (_, entry, code) => {
    const { data } = endpointsData("worker-0");
    const endpoints = { a: entry, ...(data.endpoints as object), z: entry };
    await world.cluster.putWorker(identity, { data: { endpoints } });
    await log.says("Resync", added);
    expect(skipped(code)).toBe(2);
    const told = logger.lines.filter(({ level }) => level === "warn");
    expect(told.map(({ fields }) => fields?.record)).toEqual(["endpoints/a", "endpoints/z"]);
  });

  it("is told of once while it stays as it is", async () => {
    const bad = { data: { endpoints: { a: { type: "Rocket" } } } };
    await world.cluster.putWorker(identity, bad);
    await world.cluster.putWorker(identity, { ...bad, note: 1 } as never);
    await world.cluster.putWorker(identity, { data: { ...bad.data, other: {} } });
    await marker();
    expect(skipped("PLANE_RECORD_TYPE")).toBe(1);
  });

  it("has hostile names as data", async () => {
    const name = "__proto__";
    const endpoints = JSON.parse(
      `{"__proto__":${JSON.stringify({ ...endpointRecord("worker-0", { name }), instance_id: 1 })}}`,
    );
    await world.cluster.putWorker(identity, { data: { endpoints } });
    await log.says("Resync", `Added Endpoint:dynamo/backend/${name}/1`);
  });

  it("keeps the digits of ids and cards", async () => {
    const scope = { kind: "namespace", name: "n" };
    const transport = { kind: "Zmq", config: { endpoint: "tcp://10.0.0.1:1" } };
    const channel = { type: "EventChannel", scope, topic: "t", transport };
    const card = { display_name: "m", long: 9007199254740993n };
    const place = { namespace: "n", component: "c", endpoint: "e" };
    await world.cluster.putWorker(identity, {
      data: {
        model_cards: { m: { type: "Model", ...place, instance_id: 1, card_json: card } },
        event_channels: { c: { ...channel, instance_id: 9223372036854775807n } },
      },
    });
    const events = await world.plane().list({ type: "EventChannels" });
    expect(events.map(({ instanceId }) => instanceId)).toEqual([9223372036854775807n]);
    const [model] = await world.plane().list({ type: "AllModels" });
    expect(model && encodeInstance(model)).toContain('"long":9007199254740993');
  });

  it("may have event channels from before scopes", async () => {
    const legacy = { namespace: "n", component: "c", topic: "t", instance_id: 7 };
    const transport = { kind: "Zmq", config: { endpoint: "tcp://10.0.0.1:1" } };
    const channel = { type: "EventChannel", ...legacy, transport };
    await world.cluster.putWorker(identity, { data: { event_channels: { "n/c/t": channel } } });
    const [found] = await world.plane().list({ type: "EventChannels" });
    expect(found?.id().toPath()).toBe("namespace/n/component/c/topic/t/7");
  });

  it("counts for the worker whose id it has when two have a record of one id", async () => {
    const other = await world.cluster.readyPod("another");
    const [mine, theirs] = [endpointsData("worker-0"), endpointsData("worker-0", { tcp: "evil" })];
    await world.cluster.putWorker(other, theirs);
    await log.says("Resync", added);
    await world.cluster.putWorker(identity, mine);
    await log.says("Resync", added, added);
    expect(log.view[0]).toContain("10.1.2.3");
    await world.cluster.putWorker(identity, { data: {} });
    await log.says("Resync", added, added, added);
    expect(log.view[0]).toContain("evil");
    await world.cluster.deletePod("another");
    await log.shows(() => expect(log.said.at(-1)).toBe(removed));
  });
});

describe("data that is not valid", () => {
  it.each([
    ["a map that is a list", { data: { endpoints: [] } }],
    ["a map that is text", { data: { model_cards: "x" } }],
  ])("such as %s leaves the last valid data", async (_, spec) => {
    await world.cluster.putWorker(identity, endpointsData("worker-0"));
    await log.says("Resync", added);
    await world.cluster.putWorker(identity, spec);
    await world.cluster.putWorker(identity, { data: { ...spec.data, again: 1 } });
    await marker();
    expect(log.said).not.toContain(removed);
    expect(skipped("PLANE_RECORD")).toBe(1);
    await world.cluster.putWorker(identity, { data: {} });
    await log.shows(() => expect(log.said.at(-1)).toBe(removed));
  });

  it("counts for nothing in an object that never was valid", async () => {
    await world.cluster.putWorker(identity, { data: { endpoints: "x" } });
    await marker();
    expect(log.view).toHaveLength(1);
    await world.cluster.putWorker(identity, endpointsData("worker-0"));
    await log.shows(() => expect(log.said.at(-1)).toBe(added));
  });

  it.each([
    ["another object", (cluster: PlaneWorld["cluster"]) => cluster.deleteWorker("worker-0")],
    ["the object of another pod", () => undefined],
  ])("leaves nothing of before in %s", async (what, replace) => {
    await world.cluster.putWorker(identity, endpointsData("worker-0"));
    await log.says("Resync", added);
    await replace(world.cluster);
    const owner = await world.cluster.pod("worker-2");
    const next = what === "another object" ? identity : owner;
    await world.cluster.slice("worker-0", [{ podName: "worker-0", podUid: next.podUid }]);
    const invalid = { data: { endpoints: "x" } };
    await world.cluster.putWorker(next, invalid, { name: "worker-0" });
    await log.shows(() => expect(log.said.at(-1)).toBe(removed));
    await marker();
    expect(log.view).toHaveLength(1);
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  const record = endpointRecord("worker-0", { name: "deep" });
  return { ...record, instance_id: 1, strange: value };
}
