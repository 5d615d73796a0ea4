import type { KeyValueStore, WatchEvent } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { createMemoryRegistry } from "./memory-registry.ts";
import { createMemoryStore } from "./memory-store.ts";

const code = (code: string): unknown => expect.objectContaining({ code });

function clients(count: number, queueLimit?: number): KeyValueStore[] {
  const registry = createMemoryRegistry();
  return Array.from({ length: count }, () => createMemoryStore({ registry, queueLimit }));
}

async function read(stream: AsyncIterator<WatchEvent>, count: number): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  while (events.length < count) events.push((await stream.next()).value);
  return events;
}

describe("createMemoryStore", () => {
  it("shares keys between clients of one registry, and with nobody else", async () => {
    const [a, b] = clients(2) as [KeyValueStore, KeyValueStore];
    expect(await a.bucket("v1/mdc").create("k", "1")).toBe(true);
    expect(await b.bucket("v1/mdc").create("k", "2")).toBe(false);
    expect(await b.bucket("v1/mdc").get("k")).toBe("1");
    expect(await b.bucket("v1/instances").get("k")).toBeUndefined();
    expect(await createMemoryStore().bucket("v1/mdc").get("k")).toBeUndefined();
  });

  it("tells every watch of every write, whoever made it", async () => {
    const [a, b] = clients(2) as [KeyValueStore, KeyValueStore];
    const bucket = a.bucket("b");
    await bucket.create("before", "0");
    const watches = await Promise.all([a.bucket("b").watch(), b.bucket("b").watch()]);
    const first: WatchEvent = { type: "Resync", entries: new Map([["before", "0"]]) };
    for (const watch of watches) expect(await read(watch, 1)).toEqual([first]);
    await bucket.create("k", "1");
    await b.bucket("b").compareAndReplace("k", { expected: "1", value: "2" });
    await b.bucket("b").delete("k");
    for (const watch of watches)
      expect(await read(watch, 3)).toEqual([
        { type: "Put", key: "k", value: "1" },
        { type: "Put", key: "k", value: "2" },
        { type: "Delete", key: "k" },
      ]);
  });

  it("replaces only what is as expected", async () => {
    const [a] = clients(1) as [KeyValueStore];
    const bucket = a.bucket("b");
    expect(await bucket.compareAndReplace("k", { expected: "1", value: "2" })).toBe(false);
    await bucket.create("k", "1");
    expect(await bucket.compareAndReplace("k", { expected: "0", value: "2" })).toBe(false);
    expect(await bucket.get("k")).toBe("1");
  });

  it("takes its own keys along when it closes, and no others", async () => {
    const [a, b] = clients(2) as [KeyValueStore, KeyValueStore];
    await a.bucket("b").create("mine", "1");
    await a.bucket("b").create("passed on", "1");
    await a.bucket("b").create("taken over", "1");
    await b.bucket("b").create("theirs", "1");
    await b.bucket("b").delete("passed on");
    await b.bucket("b").create("passed on", "2");
    await b.bucket("b").compareAndReplace("taken over", { expected: "1", value: "2" });
    const watch = await a.bucket("b").watch();
    await a.close();
    await a.close();
    expect(await a.closed).toBeUndefined();
    expect([...(await b.bucket("b").entries()).keys()].sort()).toEqual([
      "passed on",
      "taken over",
      "theirs",
    ]);
    await read(watch, 1);
    expect((await watch.next()).done).toBe(true);
    await expect(a.bucket("b").get("k")).rejects.toEqual(code("STORE_CLOSED"));
    await expect(a.check()).rejects.toEqual(code("STORE_CLOSED"));
  });

  it("closes with the context's signal", async () => {
    const registry = createMemoryRegistry();
    const controller = new AbortController();
    const store = createMemoryStore({ registry }, { signal: controller.signal });
    await store.bucket("b").create("k", "1");
    expect(registry.size).toBe(1);
    controller.abort();
    expect(await store.closed).toBeUndefined();
    expect(registry.size).toBe(0);
  });

  it("turns what a slow reader missed into one Resync", async () => {
    const [a] = clients(1, 5) as [KeyValueStore];
    const bucket = a.bucket("b");
    const watch = await bucket.watch();
    await read(watch, 1);
    for (let n = 0; n < 20; n++) await bucket.create(`k${n}`, "v");
    for (let n = 1; n < 20; n++) await bucket.delete(`k${n}`);
    expect(await read(watch, 1)).toEqual([{ type: "Resync", entries: new Map([["k0", "v"]]) }]);
  });

  it("refuses keys and values that other stores could not hold, and aborted calls", async () => {
    const [a] = clients(1) as [KeyValueStore];
    await expect(a.bucket("b").create("a//b", "")).rejects.toEqual(code("STORE_KEY"));
    await expect(a.bucket("b").create("a", "x".repeat(2 ** 20 + 1))).rejects.toEqual(
      code("STORE_TOO_LARGE"),
    );
    expect(() => a.bucket("../b")).toThrow(code("STORE_KEY"));
    const signal = AbortSignal.abort();
    await expect(a.bucket("b").watch({ signal })).rejects.toEqual(code("PLANE_ABORTED"));
    await expect(a.bucket("b").create("k", "v", { signal })).rejects.toEqual(code("PLANE_ABORTED"));
    expect(await a.bucket("b").get("k")).toBeUndefined();
  });

  it("has a random id of 64 bits unless it is given one", () => {
    const ids = new Set(Array.from({ length: 50 }, () => createMemoryStore().connectionId));
    expect(ids.size).toBe(50);
    expect([...ids].some((id) => id > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true);
    expect(createMemoryStore({ connectionId: 2n ** 64n - 1n }).connectionId).toBe(2n ** 64n - 1n);
    for (const connectionId of [-1n, 2n ** 64n])
      expect(() => createMemoryStore({ connectionId })).toThrow(code("STORE_CONFIG"));
  });
});
