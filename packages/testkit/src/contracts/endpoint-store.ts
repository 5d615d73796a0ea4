import {
  attributeKey,
  createEndpointMetadata,
  type DiscoveryEndpointStore,
  discovered,
  type EndpointMetadata,
  type EndpointWriter,
} from "@muster/core";
import { type Closable, type TestApi, using } from "./test-api.ts";
import { verify, verifyEqual } from "./verify.ts";

/** An empty store, and a view of what is in it. */
export interface EndpointStoreWorld extends Closable {
  readonly store: DiscoveryEndpointStore;
  /** Ids (`namespace/name`) of all endpoints, in any order. */
  ids(): readonly string[];
  get(id: string): EndpointWriter | undefined;
}

/** What {@link describeEndpointStore} needs. */
export interface EndpointStoreHarness {
  make(): EndpointStoreWorld | Promise<EndpointStoreWorld>;
}

const zone = attributeKey<string>("testkit-zone");
const seen = attributeKey<number>("testkit-seen");

/** The contract of a store that discoveries fill. Every call takes effect before it returns. */
export function describeEndpointStore(
  { describe, it }: TestApi,
  harness: EndpointStoreHarness,
): void {
  const test: Test = (name, body) => {
    it(name, () => using(harness.make, body));
  };
  describe("endpoint store", () => {
    upsertTests(test);
    deleteTests(test);
    historyTests(test);
  });
}

type Test = (name: string, body: (world: EndpointStoreWorld) => void) => void;

function upsertTests(test: Test): void {
  test("adds an endpoint it does not know", ({ store, ids, get }) => {
    store.endpointUpsert(server("a"));
    verifyEqual(ids(), ["testkit/a"], "ids");
    verifyEqual(get("testkit/a")?.metadata, server("a"), "metadata");
  });

  test("replaces metadata in place: same endpoint, its metrics and attributes kept", (world) => {
    const { store, get } = world;
    store.endpointUpsert(server("a"));
    const before = get("testkit/a");
    before?.updateMetrics({ waitingQueueSize: 4 });
    before?.attributes.put(seen, 1);
    store.endpointUpsert(server("a", 9000));
    const after = get("testkit/a");
    verifyEqual(after?.metadata.port, "9000", "port");
    verifyEqual(after?.metrics.waitingQueueSize, 4, "metrics");
    verifyEqual(after?.attributes.get(seen), 1, "attribute");
    verifyEqual(before?.metadata.port, "9000", "port as seen by who held the endpoint");
  });

  test("changes nothing for equal metadata", ({ store, ids, get }) => {
    store.endpointUpsert(server("a"));
    const before = get("testkit/a");
    before?.updateMetrics({ waitingQueueSize: 4 });
    store.endpointUpsert(server("a"));
    verifyEqual(ids(), ["testkit/a"], "ids");
    verifyEqual(get("testkit/a")?.metrics.waitingQueueSize, 4, "metrics");
  });
}

function deleteTests(test: Test): void {
  test("deletes, and ignores ids it does not know", ({ store, ids, get }) => {
    store.endpointUpsert(server("a"));
    store.endpointUpsert(server("b"));
    store.endpointDelete({ namespace: "testkit", name: "a" });
    store.endpointDelete({ namespace: "testkit", name: "never" });
    verifyEqual(ids(), ["testkit/b"], "ids");
    verify(get("testkit/a") === undefined, "a deleted endpoint must not be found");
  });

  test("does not bring back what a deleted endpoint knew", ({ store, get }) => {
    store.endpointUpsert(server("a"));
    get("testkit/a")?.updateMetrics({ waitingQueueSize: 4 });
    get("testkit/a")?.attributes.put(seen, 1);
    store.endpointDelete({ namespace: "testkit", name: "a" });
    store.endpointUpsert(server("a"));
    verify(get("testkit/a")?.metrics.waitingQueueSize === undefined, "metrics must start anew");
    verifyEqual(get("testkit/a")?.attributes.keys(), [], "attribute keys");
  });

  test("keeps a discovery's attributes until it stops giving them", ({ store, get }) => {
    store.endpointUpsert(server("a"), { attributes: [discovered(zone, "north")] });
    get("testkit/a")?.attributes.put(seen, 1);
    verifyEqual(get("testkit/a")?.attributes.get(zone), "north", "attribute");
    store.endpointUpsert(server("a"), { attributes: [discovered(zone, "south")] });
    verifyEqual(get("testkit/a")?.attributes.get(zone), "south", "changed attribute");
    store.endpointUpsert(server("a"));
    verify(get("testkit/a")?.attributes.get(zone) === undefined, "it must leave when not given");
    verifyEqual(get("testkit/a")?.attributes.get(seen), 1, "an attribute of somebody else");
  });
}

function historyTests(test: Test): void {
  test("equals a model after any history of calls in order", ({ store, ids, get }) => {
    const model = new Map<string, EndpointMetadata>();
    for (const [step, { name, port }] of history(300).entries()) {
      const id = `testkit/${name}`;
      if (port === undefined) {
        store.endpointDelete({ namespace: "testkit", name });
        model.delete(id);
      } else {
        store.endpointUpsert(server(name, port));
        model.set(id, server(name, port));
      }
      verifyEqual([...ids()].sort(), [...model.keys()].sort(), `ids after step ${step}`);
      verifyEqual(get(id)?.metadata, model.get(id), `${id} after step ${step}`);
    }
  });

  test("takes hostile names as data", ({ store, ids, get }) => {
    for (const name of ["__proto__", "constructor", "toString"]) store.endpointUpsert(server(name));
    verifyEqual(
      [...ids()].sort(),
      ["constructor", "toString", "__proto__"].map(idOf).sort(),
      "ids",
    );
    verifyEqual(get("testkit/__proto__")?.metadata.namespacedName.name, "__proto__", "name");
  });
}

function idOf(name: string): string {
  return `testkit/${name}`;
}

function server(name: string, port = 8000): EndpointMetadata {
  return createEndpointMetadata({ name, namespace: "testkit", address: "192.0.2.1", port });
}

/** The same calls in every run: upserts and deletes (no port) of five endpoints, well mixed. */
function history(length: number): { name: string; port: number | undefined }[] {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  return Array.from({ length }, () => ({
    name: `server-${next(5)}`,
    port: next(3) === 0 ? undefined : 8000 + next(3),
  }));
}
