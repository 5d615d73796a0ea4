import { namespacedName, typedName } from "@muster/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FleetChange } from "../src/feed/fleet-change.ts";
import { createEndpointStore, type EndpointStore } from "../src/store/endpoint-store.ts";
import type { FleetEndpoint } from "../src/store/fleet-endpoint.ts";
import { readFeed } from "./support/feed.ts";
import { meta } from "./support/fleet.ts";

const owners = [0, 1] as const;
const owner = fc.constantFrom(...owners);
const name = fc.constantFrom("a", "b", "c", "d", "__proto__");
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("put"), owner, name, port: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("drop"), owner, name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("write"), name, value: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("pass"), owner, names: fc.subarray(["a", "b", "c"]) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read"), count: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resume") }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Who owns what, told in the simplest way: a list of claims per name, the first being the owner. */
class Model {
  readonly claims = new Map<string, { owner: number; port: number }[]>();

  put(by: number, key: string, port: number): void {
    const list = this.claims.get(key) ?? [];
    const mine = list.find((claim) => claim.owner === by);
    if (mine === undefined) list.push({ owner: by, port });
    else mine.port = port;
    this.claims.set(key, list);
  }

  drop(by: number, key: string): void {
    const left = (this.claims.get(key) ?? []).filter((claim) => claim.owner !== by);
    if (left.length === 0) this.claims.delete(key);
    else this.claims.set(key, left);
  }

  pass(by: number, names: readonly string[]): void {
    for (const key of names) this.put(by, key, 7);
    for (const key of [...this.claims.keys()]) if (!names.includes(key)) this.drop(by, key);
  }

  view(): Record<string, string> {
    const entries = [...this.claims].map(([key, [first]]) => [
      `default/${key}`,
      `${first?.owner} ${Number(first?.port) + 1}`,
    ]);
    return Object.fromEntries(entries);
  }
}

function ownersView(store: EndpointStore): Record<string, string> {
  return Object.fromEntries(
    store.endpoints
      .list()
      .map(({ id, owner: by, metadata }) => [id, `${by.name} ${metadata.port}`]),
  );
}

/** Everything a reader could see of an endpoint. */
function shown(endpoint: FleetEndpoint): string {
  const { metadata, metrics, owner: by, degraded, revision } = endpoint;
  return JSON.stringify([metadata.port, metrics.waitingQueueSize, by.name, degraded, revision]);
}

/** What a reader knows who copies each change when it arrives. */
class Follower {
  readonly known = new Map<string, string>();
  lastRevision: string | undefined;
  /** After resuming, one may be told of a deletion of what came and went before one was told. */
  resumed = false;

  take(change: FleetChange): void {
    this.lastRevision = change.revision;
    if (change.type === "delete") {
      expect(this.known.delete(change.id) || this.resumed).toBe(true);
    } else if (change.type === "upsert") this.known.set(change.endpoint.id, shown(change.endpoint));
    else {
      this.known.clear();
      for (const endpoint of change.endpoints) this.known.set(endpoint.id, shown(endpoint));
    }
  }
}

async function run(steps: readonly Step[], limit: number): Promise<void> {
  const store = createEndpointStore();
  const model = new Model();
  const doors = owners.map((index) => store.owner(typedName("d", String(index))));
  const follower = new Follower();
  const options = (): { limit: number; since?: string } => ({
    limit,
    ...(follower.lastRevision !== undefined && { since: follower.lastRevision }),
  });
  let feed = readFeed(store.endpoints.changes(options()));
  for (const it of steps) {
    if ("count" in it) {
      for (const change of await feed.drain()) follower.take(change);
    } else if ("names" in it) {
      const door = doors[it.owner];
      door?.beginPass();
      for (const key of it.names) door?.endpointUpsert(meta(key, { port: 8 }));
      door?.completePass();
      model.pass(it.owner, it.names);
    } else if ("port" in it) {
      doors[it.owner]?.endpointUpsert(meta(it.name, { port: it.port + 1 }));
      model.put(it.owner, it.name, it.port);
    } else if ("value" in it) {
      store.writer(`default/${it.name}`)?.updateMetrics({ waitingQueueSize: it.value });
      await Promise.resolve();
    } else if ("name" in it) {
      doors[it.owner]?.endpointDelete(namespacedName("default", it.name));
      model.drop(it.owner, it.name);
    } else {
      const change = await feed.poll();
      if (change !== undefined) follower.take(change);
      await feed.close();
      feed = readFeed(store.endpoints.changes(options()));
      follower.resumed = follower.lastRevision !== undefined;
    }
    expect(ownersView(store)).toEqual(model.view());
  }
  for (const change of await feed.drain()) follower.take(change);
  await feed.close();
  const truth = new Map(store.endpoints.list().map((endpoint) => [endpoint.id, shown(endpoint)]));
  expect(new Map([...follower.known].sort())).toEqual(new Map([...truth].sort()));
}

describe("after any history of two discoveries", () => {
  it("the store shows what the owners last said, and a reader of the feed knows the same", async () => {
    const history = fc.array(step, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, fc.constantFrom(1, 3, 1000), (steps, limit) => run(steps, limit)),
      { numRuns: 300 },
    );
  });
});
