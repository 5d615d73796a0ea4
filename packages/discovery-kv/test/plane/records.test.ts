import { encodeInstance } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { endpoint, instances, model, models, place, planeWorld, read, told } from "./world.ts";

const endpointRecord = (id: bigint, tcp: string): string =>
  `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":${id},"transport":{"tcp":"${tcp}"}}`;
const key = (hex: string): string => `dynamo/backend/generate/${hex}`;
const bucket = "v1/instances";

describe("what is written", () => {
  it("has the original's buckets, keys and records, to the byte", async () => {
    const { plane, other, meter } = planeWorld();
    const written = await plane.register(endpoint("10.0.0.5:41234/694d8a1b2c3d4e5f/generate"));
    expect(encodeInstance(written)).toBe(
      endpointRecord(7587872796500119135n, "10.0.0.5:41234/694d8a1b2c3d4e5f/generate"),
    );
    expect(written.id().toPath()).toBe("dynamo/backend/generate/694d8a1b2c3d4e5f");
    await plane.register(model({ display_name: "m", source_path: "s" }));
    const card = { display_name: "lora", source_path: "s", lora: { name: "lora" } };
    await plane.register(model(card, "my_adapter"));
    const keys = (await other.list(models)).map((instance) => instance.id().toPath()).sort();
    expect(keys).toEqual([key("694d8a1b2c3d4e5f"), key("694d8a1b2c3d4e5f/my_adapter")]);
    expect(meter.value("muster_plane_records_skipped_total")).toBeUndefined();
  });
});

describe("what is read", () => {
  it("is what others laid out, event channels from before scopes too", async () => {
    const { plane, lay } = planeWorld();
    await lay(bucket, key("2040a22e99c4850d"), endpointRecord(2324035728755164429n, "h:1"));
    const channel =
      '"topic":"kv-events","instance_id":42,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1"}}}';
    await lay(
      "v1/event_channels",
      "dynamo/backend/kv-events/2a",
      `{"type":"EventChannel","namespace":"dynamo","component":"backend",${channel}`,
    );
    const scope = { kind: "component", namespace: "dynamo", component: "backend" } as const;
    const [legacy] = await plane.list({ type: "EventChannels", scope, topic: "kv-events" });
    expect(legacy?.id().toPath()).toBe("namespace/dynamo/component/backend/topic/kv-events/2a");
    const stream = await plane.listAndWatch({ type: "EventChannels", scope });
    await read(stream, 2);
    if (legacy !== undefined) await plane.unregister(legacy);
    expect(told(await read(stream, 1))).toEqual([`- ${legacy?.id().key}`]);
    const [listed] = await plane.list(instances);
    expect(listed?.instanceId).toBe(2324035728755164429n);
  });

  it.each([
    ["PLANE_JSON", key("2a"), '{"type":'],
    ["PLANE_JSON", key("2a"), ""],
    ["PLANE_RECORD", key("2a"), '{"type":"Endpoint"}'],
    ["PLANE_RECORD", key("2a"), endpointRecord(43n, "h:1")],
    ["PLANE_RECORD", "other/backend/generate/2a", endpointRecord(42n, "h:1")],
    ["PLANE_RECORD_TYPE", key("2a"), '{"type":"VeloPeer","id":1}'],
    ["PLANE_PATH", "dynamo/backend/2a", endpointRecord(42n, "h:1")],
    ["PLANE_PATH", key("0x2a"), endpointRecord(42n, "h:1")],
  ])("skips a record that is %s, and none of its neighbours: %s %s", async (reason, at, value) => {
    const { plane, lay, meter, logger } = planeWorld();
    await lay(bucket, key("1"), endpointRecord(1n, "good:1"));
    await lay(bucket, at, value);
    const stream = await plane.listAndWatch(instances);
    expect(told(await read(stream, 2))).toEqual(["+ good:1", "= 1"]);
    for (let n = 0; n < 3; n++) expect(await plane.list(instances)).toHaveLength(1);
    expect(meter.value("muster_plane_records_skipped_total", { reason })).toBe(1);
    expect(logger.lines.map(({ fields }) => fields.key)).toEqual([`${bucket}/${at}`]);
  });

  it("reports a key again when its state changes", async () => {
    const { plane, lay, logger } = planeWorld();
    for (const value of ["{", "{", "{}", endpointRecord(42n, "h:1"), "{}"]) {
      await lay(bucket, key("2a"), value);
      await plane.list(instances);
    }
    const codes = logger.lines.map(({ fields }) => (fields.error as { code: string }).code);
    expect(codes).toEqual(["PLANE_JSON", "PLANE_RECORD", "PLANE_RECORD"]);
  });

  it("names the first records only that cannot be used, and counts the rest", async () => {
    const { plane, lay, take, logger, meter } = planeWorld();
    const keys = Array.from({ length: 30 }, (_, n) => key((n + 1).toString(16)));
    const layAll = (): Promise<unknown> => Promise.all(keys.map((it) => lay(bucket, it, "{}")));
    await layAll();
    await plane.list(instances);
    await plane.list(instances);
    expect(logger.lines).toHaveLength(21);
    const reason = "PLANE_RECORD";
    expect(meter.value("muster_plane_records_skipped_total", { reason })).toBe(30);
    const stream = await plane.listAndWatch(instances);
    await Promise.all(keys.map((it) => take(bucket, it)));
    await lay(bucket, key("ff"), endpointRecord(255n, "good:1"));
    await stream.next();
    await read(stream, 1 + keys.length);
    await layAll();
    await plane.list(instances);
    expect(logger.lines).toHaveLength(42);
  });

  it("keeps a record whose value turns bad, also across a gap, until its key goes", async () => {
    const { plane, lay, take } = planeWorld();
    await lay(bucket, key("2a"), endpointRecord(42n, "h:1"));
    const stream = await plane.listAndWatch(instances);
    await read(stream, 2);
    await lay(bucket, key("2a"), "{");
    await lay(bucket, key("2a"), endpointRecord(42n, "h:2"));
    await lay(bucket, key("2a"), "{");
    expect(told(await read(stream, 1))).toEqual(["+ h:2"]);
    await take(bucket, key("2a"));
    expect(told(await read(stream, 1))).toEqual([`- Endpoint:${key("2a")}`]);
  });

  it("takes a key in another spelling for the same record, and never removes it wrongly", async () => {
    const { plane, lay, take } = planeWorld();
    await lay(bucket, key("2A"), endpointRecord(42n, "h:1"));
    const stream = await plane.listAndWatch(instances);
    expect(told(await read(stream, 2))).toEqual(["+ h:1", "= 1"]);
    await lay(bucket, key("+02a"), endpointRecord(42n, "h:3"));
    await lay(bucket, key("2a"), endpointRecord(42n, "h:2"));
    expect(told(await read(stream, 1))).toEqual(["+ h:2"]);
    expect(await plane.list(instances)).toHaveLength(1);
    await take(bucket, key("+02a"));
    await take(bucket, key("2a"));
    expect(told(await read(stream, 1))).toEqual(["+ h:1"]);
    await take(bucket, key("2A"));
    expect(told(await read(stream, 1))).toEqual([`- Endpoint:${key("2a")}`]);
  });

  it("can be taken away however its key is spelled", async () => {
    const { plane, lay } = planeWorld();
    await lay(bucket, key("002A"), endpointRecord(42n, "h:1"));
    const [listed] = await plane.list(instances);
    if (listed !== undefined) await plane.unregister(listed);
    expect(await plane.list(instances)).toEqual([]);
  });

  it("never takes ns10 for ns1 [dynamo#10990]", async () => {
    const { plane, other } = planeWorld();
    await other.register({ ...endpoint("h:1"), namespace: "ns1" } as never);
    await other.register({ ...endpoint("h:2"), namespace: "ns10" } as never);
    const query = { type: "NamespacedEndpoints", namespace: "ns1" } as const;
    const stream = await plane.listAndWatch(query);
    expect(told(await read(stream, 2))).toEqual(["+ h:1", "= 1"]);
    expect(await plane.list(query)).toHaveLength(1);
    expect(await plane.list({ type: "Endpoint", ...place, namespace: "ns" })).toEqual([]);
  });
});
