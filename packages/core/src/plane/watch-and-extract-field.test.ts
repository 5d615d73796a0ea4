import { describe, expect, it, vi } from "vitest";
import { MusterError } from "../errors.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { createDiscoveryStream, type DiscoveryFeed } from "./discovery-stream.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { ModelInstance } from "./model-instance.ts";
import { RawJson } from "./raw-json.ts";
import {
  type FieldWatch,
  watchAndExtractBaseModelField,
  watchAndExtractField,
} from "./watch-and-extract-field.ts";

interface Card {
  readonly name: string;
  readonly runtime_config?: { readonly taints: readonly string[] };
}

const schema: StandardSchema<unknown, Card> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof (value as Card).name === "string"
        ? { value: value as Card }
        : { issues: [{ message: "must be text", path: ["name"] }] },
  },
};

function model(instanceId: bigint, card: unknown, modelSuffix?: string): ModelInstance {
  const place = { namespace: "ns", component: "c", endpoint: "e" };
  return new ModelInstance({ ...place, instanceId, cardJson: RawJson.of(card), modelSuffix });
}

interface World<V> {
  readonly feed: DiscoveryFeed;
  readonly watch: FieldWatch<V>;
  readonly onSkipped: ReturnType<typeof vi.fn>;
}

function world(follow = watchAndExtractField<Card, string>, signal?: AbortSignal): World<string> {
  const feed = createDiscoveryStream({ query: { type: "AllModels" } });
  const onSkipped = vi.fn();
  const extract = ({ name, runtime_config }: Card): string => {
    if (name === "trap") throw new Error("caught in it");
    return runtime_config === undefined ? name : `${name} ${runtime_config.taints}`;
  };
  return { feed, onSkipped, watch: follow(feed.stream, { schema, extract, onSkipped, signal }) };
}

/** What a reader that came first ends up with, once everything was read. */
async function settle({ feed, watch }: World<string>): Promise<unknown> {
  feed.end();
  expect(await watch.done).toBeUndefined();
  return [...watch.current];
}

describe("watchAndExtractField", () => {
  it("maps each instance to what its card says, and forgets it with its record", async () => {
    const made = world();
    expect([...made.watch.current]).toEqual([]);
    made.feed.replace([model(1n, { name: "a" }), model(2n, { name: "b" })]);
    made.feed.remove(model(1n, null).id());
    made.feed.remove(model(3n, null).id());
    expect(await settle(made)).toEqual([[2n, "b"]]);
  });

  it("keeps the base model when an adapter leaves [dynamo#7758]", async () => {
    const made = world();
    const lora = model(1n, { name: "lora" }, "lora");
    made.feed.put(model(1n, { name: "base" }));
    made.feed.put(lora);
    const changes = made.watch.changes();
    await vi.waitFor(() => expect([...made.watch.current]).toEqual([[1n, "lora"]]));
    made.feed.remove(lora.id());
    expect(await settle(made)).toEqual([[1n, "base"]]);
    const seen: unknown[] = [];
    for await (const map of changes) seen.push([...map.values()]);
    expect(seen.at(-1)).toEqual(["base"]);
  });

  it("takes base models alone when asked to", async () => {
    const made = world(watchAndExtractBaseModelField<Card, string>);
    made.feed.put(model(1n, { name: "base" }));
    made.feed.put(model(1n, { name: "lora" }, "lora"));
    made.feed.put(model(2n, { name: "lora" }, "lora"));
    made.feed.remove(model(1n, null, "lora").id());
    expect(await settle(made)).toEqual([[1n, "base"]]);
    expect(made.onSkipped).not.toHaveBeenCalled();
  });

  it("skips and reports cards that cannot be read, and keeps the old value", async () => {
    const { feed, watch, onSkipped } = world();
    feed.put(model(1n, { name: "good" }));
    feed.put(model(2n, { name: 5 }));
    feed.put(model(3n, { name: "trap" }));
    feed.put(model(4n, { name: "also good" }));
    expect(await settle({ feed, watch, onSkipped })).toEqual([
      [1n, "good"],
      [4n, "also good"],
    ]);
    expect(onSkipped.mock.calls.map(([{ code, message }]) => [code, message])).toEqual([
      ["PLANE_CARD", expect.stringContaining("name: must be text")],
      ["PLANE_CARD", expect.stringContaining("caught in it")],
    ]);
  });

  it("keeps the old value when a later card of the same record cannot be read", async () => {
    const onSkipped = vi.fn();
    async function* events() {
      yield { type: "Added", instance: model(1n, { name: "good" }) } as const;
      yield { type: "Added", instance: model(1n, { name: 5 }) } as const;
    }
    const extract = ({ name }: Card): string => name;
    const watch = watchAndExtractField(events(), { schema, extract, onSkipped });
    await watch.done;
    expect([...watch.current]).toEqual([[1n, "good"]]);
    expect(onSkipped).toHaveBeenCalledTimes(1);
  });

  it("follows changed taints", async () => {
    const made = world();
    const card = { name: "a", runtime_config: { taints: ["x"] } };
    made.feed.put(model(1n, card));
    made.feed.put(model(1n, { ...card, runtime_config: { taints: ["z", "y"] } }));
    expect(await settle(made)).toEqual([[1n, "a y,z"]]);
  });

  it("does not take notice of records without a card", async () => {
    const feed = createDiscoveryStream({ query: { type: "AllEndpoints" } });
    const onSkipped = vi.fn();
    const watch = watchAndExtractField(feed.stream, { schema, extract: () => 1, onSkipped });
    const place = { namespace: "ns", component: "c", endpoint: "e", instanceId: 1n };
    feed.put(new EndpointInstance({ ...place, transport: { tcp: "h:1" } }));
    feed.end();
    await watch.done;
    expect(watch.current.size).toBe(0);
    expect(onSkipped).not.toHaveBeenCalled();
  });
});

describe("a field watch", () => {
  it("gives readers the present map, then the latest after each change", async () => {
    const { feed, watch } = world();
    const reader = watch.changes();
    expect((await reader.next()).value).toEqual(new Map());
    for (let n = 1n; n <= 3n; n++) {
      const next = reader.next();
      feed.put(model(n, { name: `m${n}` }));
      expect((await next).value.size).toBe(Number(n));
    }
    const before = watch.current;
    feed.remove(model(1n, null).id());
    await vi.waitFor(() => expect(watch.current.size).toBe(2));
    expect(before.size).toBe(3);
    expect((await watch.changes().next()).value).toEqual(watch.current);
  });

  it("copies its map once for many events at once", async () => {
    const { feed, watch } = world();
    const reader = watch.changes();
    await reader.next();
    const next = reader.next();
    feed.replace(Array.from({ length: 2000 }, (_, n) => model(BigInt(n), { name: `m${n}` })));
    expect((await next).value.size).toBe(2000);
  });

  it("misses no change because somebody looked in between", async () => {
    const { feed, watch } = world();
    const reader = watch.changes();
    await reader.next();
    const next = reader.next();
    feed.put(model(1n, { name: "a" }));
    while (watch.current.size === 0) await undefined;
    expect([...(await next).value.values()]).toEqual(["a"]);
  });

  it("ends with its stream, keeps the last map, and says what went wrong", async () => {
    const { feed, watch } = world();
    const reader = watch.changes();
    const error = new MusterError("STORE_LEASE_LOST", "gone");
    feed.put(model(1n, { name: "a" }));
    feed.end(error);
    expect(await watch.done).toBe(error);
    const seen: unknown[] = [];
    for await (const map of reader) seen.push(map.size);
    expect(seen.at(-1)).toBe(1);
    for await (const map of watch.changes()) expect(map.size).toBe(1);
    expect([...watch.current]).toEqual([[1n, "a"]]);
  });

  it("returns its stream when it is stopped or aborted", async () => {
    const stopped = world();
    stopped.watch.stop();
    stopped.watch.stop();
    expect(await stopped.watch.done).toBeUndefined();
    expect(stopped.feed.closed).toBe(true);
    const controller = new AbortController();
    const aborted = world(watchAndExtractField<Card, string>, controller.signal);
    const reader = aborted.watch.changes();
    await reader.next();
    const waiting = reader.next();
    controller.abort();
    expect(await aborted.watch.done).toBeUndefined();
    expect(aborted.feed.closed).toBe(true);
    expect((await waiting).done).toBe(true);
    const early = world(watchAndExtractField<Card, string>, AbortSignal.abort());
    expect(await early.watch.done).toBeUndefined();
    expect(early.feed.closed).toBe(true);
  });

  it("lets a reader of changes leave by itself", async () => {
    const { feed, watch } = world();
    const signal = AbortSignal.abort();
    expect((await watch.changes({ signal }).next()).done).toBe(true);
    for await (const map of watch.changes()) {
      expect(map.size).toBe(0);
      break;
    }
    expect(feed.closed).toBe(false);
  });
});
