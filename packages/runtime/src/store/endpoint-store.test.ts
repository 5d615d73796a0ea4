import {
  attributeKey,
  discovered,
  dynamicAttribute,
  type EndpointMetadata,
  isMusterError,
  namespacedName,
  typedName,
} from "@muster/core";
import { createFakeClock, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { meta } from "../../test/support/fleet.ts";
import { createEndpointStore, createStoreParts, type EndpointStore } from "./endpoint-store.ts";

const card = attributeKey<{ readonly model: string }>("card");

function storeOf(): { store: EndpointStore; owner: ReturnType<EndpointStore["owner"]> } {
  const store = createEndpointStore({ clock: createFakeClock() });
  return { store, owner: store.owner(typedName("d")) };
}

function numberOf(revision: string): number {
  return Number(revision.split("-")[1]);
}

describe("section 5: the endpoint store", () => {
  it("creates an endpoint for an unknown key", () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a", { namespace: "ns" }));
    expect(store.endpoints.size).toBe(1);
    expect(store.endpoints.get("ns/a")?.metadata.address).toBe("192.0.2.1");
    expect(store.endpoints.get(namespacedName("ns", "a"))).toBe(store.endpoints.get("ns/a"));
    expect(store.endpoints.get("ns/b")).toBeUndefined();
  });

  it("does nothing when a known endpoint is reported as it is", () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a", { labels: { x: "1" } }));
    const { revision } = store.endpoints;
    owner.endpointUpsert(meta("a", { labels: { x: "1" } }));
    expect(store.endpoints.revision).toBe(revision);
  });

  it("replaces metadata in place: same endpoint object, metrics and attributes kept", () => {
    const { store, records } = createStoreParts({ clock: createFakeClock() });
    const owner = store.owner(typedName("d"));
    owner.endpointUpsert(meta("a"));
    const [view, server] = [store.endpoints.get("default/a"), records.records.get("default/a")];
    const writer = store.writer("default/a");
    writer?.updateMetrics({ waitingQueueSize: 3 });
    writer?.attributes.put(card, { model: "m" });
    owner.endpointUpsert(meta("a", { port: 9000 }));
    expect(store.endpoints.get("default/a")).toBe(view);
    expect(records.records.get("default/a")?.server).toBe(server?.server);
    expect(view?.metadata.port).toBe("9000");
    expect(view?.metrics.waitingQueueSize).toBe(3);
    expect(view?.attributes.get(card)).toEqual({ model: "m" });
  });

  it("deletes, and makes a new generation for one that comes back", () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a"));
    const old = store.endpoints.get("default/a");
    const writer = store.writer("default/a");
    writer?.updateMetrics({ waitingQueueSize: 3 });
    owner.endpointDelete(namespacedName("default", "a"));
    expect(store.endpoints.get("default/a")).toBeUndefined();
    owner.endpointUpsert(meta("a"));
    expect(store.endpoints.get("default/a")).not.toBe(old);
    expect(store.endpoints.get("default/a")?.metrics.waitingQueueSize).toBeUndefined();
    expect(old?.metrics.waitingQueueSize).toBe(3);
  });

  it("a late write to an endpoint that was removed and added again changes nothing [dynamo#14606]", () => {
    const meter = createRecordingMeter();
    const store = createEndpointStore({ metrics: meter });
    const owner = store.owner(typedName("d"));
    owner.endpointUpsert(meta("a"));
    const late = store.writer("default/a");
    owner.endpointDelete(namespacedName("default", "a"));
    owner.endpointUpsert(meta("a"));
    for (const write of [
      () => late?.updateMetrics({ waitingQueueSize: 9 }),
      () => late?.attributes.put(card, { model: "late" }),
    ])
      expect(write).toThrow(expect.objectContaining({ code: "HANDLE_DEAD" }));
    expect(store.endpoints.get("default/a")?.metrics.waitingQueueSize).toBeUndefined();
    expect(store.endpoints.get("default/a")?.attributes.keys()).toEqual([]);
    expect(meter.value("muster_datalayer_dead_handle_writes_total")).toBe(2);
  });

  it("applies upserts and deletes of one key in the order of the calls", () => {
    const { store, owner } = storeOf();
    const id = namespacedName("default", "a");
    owner.endpointUpsert(meta("a"));
    owner.endpointDelete(id);
    owner.endpointUpsert(meta("a", { port: 2 }));
    owner.endpointUpsert(meta("a", { port: 3 }));
    expect(store.endpoints.get("default/a")?.metadata.port).toBe("3");
    owner.endpointDelete(id);
    owner.endpointDelete(id);
    expect(store.endpoints.size).toBe(0);
  });

  it("clear releases every endpoint, whoever reported it", () => {
    const { store, owner } = storeOf();
    const other = store.owner(typedName("other"));
    owner.endpointUpsert(meta("a"));
    other.endpointUpsert(meta("a"));
    other.endpointUpsert(meta("b"));
    const writer = store.writer("default/a");
    store.clear();
    expect(store.endpoints.list()).toEqual([]);
    expect(() => writer?.updateMetrics({})).toThrow(/late write/);
    owner.endpointUpsert(meta("a"));
    expect(store.endpoints.size).toBe(1);
  });

  it("same id with a new address is an update [dynamo#12566]", () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a"));
    const view = store.endpoints.get("default/a");
    owner.endpointUpsert(meta("a", { address: "192.0.2.9" }));
    expect(view?.metadata.address).toBe("192.0.2.9");
    expect(view).toBe(store.endpoints.get("default/a"));
  });
});

describe("reports that cannot be taken", () => {
  it("copies metadata that is not frozen, so that it cannot change later", () => {
    const { store, owner } = storeOf();
    const loose = structuredClone({ ...meta("a"), labels: { x: "1" } }) as EndpointMetadata & {
      labels: Record<string, string>;
    };
    owner.endpointUpsert(loose);
    loose.labels.x = "2";
    expect(store.endpoints.get("default/a")?.metadata.labels.x).toBe("1");
  });

  it.each([
    undefined,
    {},
    { namespacedName: { namespace: "n", name: "a/b" }, address: "x", port: "1" },
  ])("refuses %j as metadata with a coded error", (bad) => {
    const { store, owner } = storeOf();
    expect(() => owner.endpointUpsert(bad as unknown as EndpointMetadata)).toThrow(
      expect.objectContaining({ code: "ENDPOINT_INVALID" }),
    );
    expect(store.endpoints.size).toBe(0);
  });

  it("stores nothing of a report whose attribute cannot be stored", () => {
    const { store, owner } = storeOf();
    const bad = discovered(attributeKey<unknown>("f"), () => 1);
    try {
      owner.endpointUpsert(meta("a"), { attributes: [discovered(card, { model: "m" }), bad] });
      expect.unreachable();
    } catch (error) {
      expect(isMusterError(error) && error.code).toBe("ATTRIBUTE_INVALID");
    }
    expect(store.endpoints.size).toBe(0);
  });

  it("counts getters that throw and reads them as absent", () => {
    const meter = createRecordingMeter();
    const store = createEndpointStore({ metrics: meter });
    store.owner(typedName("d")).endpointUpsert(meta("a"));
    const key = attributeKey<number>("n");
    const boom = dynamicAttribute<number>(() => {
      throw new Error("boom");
    });
    store.writer("default/a")?.attributes.put(key, boom);
    expect(store.endpoints.get("default/a")?.attributes.get(key)).toBeUndefined();
    expect(meter.value("muster_datalayer_attribute_getter_errors_total")).toBe(1);
  });
});

describe("revisions", () => {
  it("move by one for all that is written outside of a poll in one turn", async () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a"));
    const before = numberOf(store.endpoints.revision);
    const writer = store.writer("default/a");
    writer?.updateMetrics({ waitingQueueSize: 1 });
    writer?.updateMetrics({ runningRequestsSize: 2 });
    writer?.attributes.put(card, { model: "m" });
    await Promise.resolve();
    expect(numberOf(store.endpoints.revision)).toBe(before + 1);
    expect(store.endpoints.get("default/a")?.revision).toBe(store.endpoints.revision);
  });

  it("stay when a write says what was known already", async () => {
    const { store, owner } = storeOf();
    owner.endpointUpsert(meta("a"));
    const write = async (): Promise<void> => {
      store.writer("default/a")?.updateMetrics({ waitingQueueSize: 1, activeModels: { m: 0 } });
      store.writer("default/a")?.attributes.put(card, { model: "m" });
      await Promise.resolve();
    };
    await write();
    const { revision } = store.endpoints;
    await write();
    expect(store.endpoints.revision).toBe(revision);
  });

  it("have an epoch of their own in every store", () => {
    const epochs = [storeOf(), storeOf()].map(({ store }) => store.endpoints.revision);
    expect(epochs[0]).toMatch(/^[0-9a-f]{12}-0$/);
    expect(epochs[0]).not.toBe(epochs[1]);
  });
});
