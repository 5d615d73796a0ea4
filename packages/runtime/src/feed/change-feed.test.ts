import { type NamespacedName, namespacedName, typedName } from "@muster/core";
import { createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { brief, readFeed } from "../../test/support/feed.ts";
import { meta } from "../../test/support/fleet.ts";
import type { ChangesOptions } from "../fleet.ts";
import { createEndpointStore } from "../store/endpoint-store.ts";

function storeWithFeed() {
  const metrics = createRecordingMeter();
  const store = createEndpointStore({ metrics });
  const owner = store.owner(typedName("d"));
  const id = (name: string): NamespacedName => namespacedName("default", name);
  return {
    ...{ store, metrics },
    put: (name: string, port = 1): void => owner.endpointUpsert(meta(name, { port })),
    drop: (name: string): void => owner.endpointDelete(id(name)),
    read: (options?: ChangesOptions) => readFeed(store.endpoints.changes(options)),
    revision: (): string => store.endpoints.revision,
  };
}

describe("a change feed", () => {
  it("starts with a snapshot, then gives each change", async () => {
    const { put, drop, read } = storeWithFeed();
    put("a");
    const feed = read();
    expect(brief(await feed.next())).toBe("snapshot start a");
    const next = feed.next();
    put("b");
    expect(brief(await next)).toBe("upsert b");
    put("a", 2);
    drop("b");
    expect((await feed.drain()).map(brief)).toEqual(["upsert a", "delete b"]);
  });

  it("merges what waits: a slow reader gets the latest state of each endpoint once", async () => {
    const { put, read } = storeWithFeed();
    put("a");
    put("b");
    const feed = read();
    await feed.next();
    for (let port = 2; port < 9; port += 1) {
      put("a", port);
      put("b", port);
    }
    const [first, second, ...more] = await feed.drain();
    expect(more).toEqual([]);
    expect([first, second].map(brief)).toEqual(["upsert a", "upsert b"]);
    expect(first?.type === "upsert" && first.endpoint.metadata.port).toBe("8");
  });

  it("does not show an endpoint that came and went unseen", async () => {
    const { put, drop, read } = storeWithFeed();
    put("a");
    const feed = read();
    await feed.next();
    put("b");
    put("b", 2);
    drop("b");
    put("a", 2);
    expect((await feed.drain()).map(brief)).toEqual(["upsert a"]);
  });

  it("shows the deletion of an endpoint whose return and second removal were not seen", async () => {
    const { put, drop, read } = storeWithFeed();
    put("a");
    const feed = read();
    await feed.next();
    drop("a");
    put("a");
    drop("a");
    expect((await feed.drain()).map(brief)).toEqual(["delete a"]);
  });

  it("shows an endpoint that left and came back as one that changed", async () => {
    const { put, drop, read } = storeWithFeed();
    put("a");
    const feed = read();
    await feed.next();
    drop("a");
    put("a", 2);
    expect((await feed.drain()).map(brief)).toEqual(["upsert a"]);
  });

  it("resumes after a revision it gave, missing nothing", async () => {
    const { put, drop, read, revision } = storeWithFeed();
    for (const name of ["a", "b", "c"]) put(name);
    const since = revision();
    put("a", 2);
    put("d");
    drop("b");
    drop("d");
    expect((await read({ since }).drain()).map(brief)).toEqual(["upsert a", "delete b"]);
    expect(await read({ since: revision() }).drain()).toEqual([]);
  });

  it("labels changes so that resuming after one misses none that waited behind it", async () => {
    const { put, read } = storeWithFeed();
    put("a");
    put("b");
    const feed = read();
    await feed.next();
    put("a", 2);
    put("b", 2);
    put("a", 3);
    const change = await feed.next();
    expect(brief(change)).toBe("upsert a");
    const again = await read({ since: change?.revision }).drain();
    expect(again.map(brief)).toContain("upsert b");
  });

  it("keeps its place when an endpoint leaves and comes back while others wait", async () => {
    const { put, drop, read } = storeWithFeed();
    put("a");
    const feed = read();
    await feed.next();
    drop("a");
    put("b");
    put("a", 2);
    const change = await feed.next();
    expect(brief(change)).toBe("upsert a");
    const again = await read({ since: change?.revision }).drain();
    expect(again.map(brief)).toContain("upsert b");
  });

  it("knows after resuming that an endpoint that left and came back was known before", async () => {
    const { put, drop, read, revision } = storeWithFeed();
    put("a");
    const since = revision();
    drop("a");
    put("b");
    put("a", 2);
    const feed = read({ since });
    expect(brief(await feed.next())).toBe("upsert b");
    drop("a");
    expect((await feed.drain()).map(brief)).toEqual(["delete a"]);
  });

  it("the last change that waits is labelled with the latest revision", async () => {
    const { put, drop, read, revision } = storeWithFeed();
    const feed = read();
    await feed.next();
    put("a");
    put("b");
    drop("b");
    expect((await feed.next())?.revision).toBe(revision());
  });

  it("gives a snapshot with reason resume for an unknown epoch, a future or a foreign text", async () => {
    const { put, read, revision } = storeWithFeed();
    put("a");
    const [epoch] = revision().split("-");
    for (const since of ["0123456789ab-1", `${epoch}-99`, `${epoch}-01`, `${epoch}-`, "", "x"])
      expect(brief(await read({ since }).next())).toBe("snapshot resume a");
  });

  it("gives a snapshot with reason resume when deletions are no longer known", async () => {
    const { put, drop, read, revision } = storeWithFeed();
    put("keep");
    const since = revision();
    for (let round = 0; round <= 10_000; round += 1) {
      put("x");
      drop("x");
    }
    expect(brief(await read({ since }).next())).toBe("snapshot resume keep");
    const recent = revision();
    put("keep", 2);
    expect((await read({ since: recent }).drain()).map(brief)).toEqual(["upsert keep"]);
  });

  it("gives a snapshot with reason overflow to a reader too slow for its limit, and counts it", async () => {
    const { put, drop, read, metrics } = storeWithFeed();
    put("gone");
    const feed = read({ limit: 2 });
    await feed.next();
    drop("gone");
    for (const name of ["a", "b", "c"]) put(name);
    expect((await feed.drain()).map(brief)).toEqual(["snapshot overflow a,b,c"]);
    expect(metrics.value("muster_datalayer_feed_overflows_total")).toBe(1);
    put("d");
    expect((await feed.drain()).map(brief)).toEqual(["upsert d"]);
  });

  it("resuming to more changes than the limit gives a snapshot", async () => {
    const { put, read, revision } = storeWithFeed();
    const since = revision();
    for (const name of ["a", "b", "c"]) put(name);
    expect(brief(await read({ since, limit: 2 }).next())).toBe("snapshot resume a,b,c");
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses the limit %d", (limit) => {
    const { read } = storeWithFeed();
    expect(() => read({ limit })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});

describe("the end of a feed", () => {
  it("comes with return(), with the signal and with the store, each freeing it", async () => {
    const { put, read, store, metrics } = storeWithFeed();
    const subscribers = (): number | undefined =>
      metrics.value("muster_datalayer_feed_subscribers");
    const stop = new AbortController();
    const [returned, aborted, closed] = [read(), read({ signal: stop.signal }), read()];
    for (const feed of [returned, aborted, closed]) await feed.next();
    expect(subscribers()).toBe(3);
    const waiting = aborted.next();
    await returned.close();
    expect(subscribers()).toBe(2);
    stop.abort();
    expect(brief(await waiting)).toBe("end");
    expect(subscribers()).toBe(1);
    put("a");
    store.close();
    expect(subscribers()).toBe(0);
    for (const feed of [returned, aborted, closed]) expect(brief(await feed.next())).toBe("end");
  });

  it("a feed that is never read holds nothing; one opened after the end gives nothing", async () => {
    const { read, store, metrics } = storeWithFeed();
    read();
    expect(metrics.value("muster_datalayer_feed_subscribers")).toBeUndefined();
    store.close();
    expect(brief(await read().next())).toBe("end");
    expect(brief(await read({ signal: AbortSignal.abort() }).next())).toBe("end");
  });

  it("has one listener on a signal for all feeds, and leaves none", async () => {
    const { read } = storeWithFeed();
    const stop = new AbortController();
    let listeners = 0;
    const { signal } = stop;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listeners -= 1;
      remove(...args);
    };
    const feeds = [read({ signal }), read({ signal }), read({ signal })];
    for (const feed of feeds) await feed.next();
    expect(listeners).toBe(1);
    for (const feed of feeds) await feed.close();
    expect(listeners).toBe(0);
    const open = [read({ signal }), read({ signal })];
    for (const feed of open) await feed.next();
    stop.abort();
    for (const feed of open) expect(brief(await feed.next())).toBe("end");
  });

  it("answers several reads that wait at once in order", async () => {
    const { put, store } = storeWithFeed();
    const iterator = store.endpoints.changes()[Symbol.asyncIterator]();
    const reads = [iterator.next(), iterator.next(), iterator.next()];
    put("a");
    put("b");
    const values = (await Promise.all(reads)).map((result) => brief(result.value));
    expect(values).toEqual(["snapshot start", "upsert a", "upsert b"]);
  });
});
