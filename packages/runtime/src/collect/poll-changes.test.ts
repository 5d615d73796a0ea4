import { attributeKey, MusterError, type PollInput } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { brief, readFeed } from "../../test/support/feed.ts";
import { deferred, queueExtractor, readingSource } from "../../test/support/fleet.ts";

const note = attributeKey<{ readonly n: number }>("note");

describe("revisions and polls", () => {
  it("one poll makes one change, whatever its extractors wrote", async () => {
    const clock = createFakeClock();
    let n = 0;
    const source = readingSource(() => ++n);
    source.appendExtractor(queueExtractor({ name: "one" }));
    source.appendExtractor(
      queueExtractor({
        name: "two",
        async extract({ payload, endpoint }: PollInput<number>) {
          endpoint.updateMetrics({ runningRequestsSize: payload });
          await Promise.resolve();
          endpoint.attributes.put(note, { n: payload });
          endpoint.updateMetrics({ cacheBlockSize: payload });
        },
      }),
    );
    const { put, revision } = collect({ clock, sources: [source] });
    put("a");
    await clock.advance(10_500);
    expect([n, revision()]).toEqual([11, 1 + 11]);
  });

  it("a poll that says what was known already makes none", async () => {
    const clock = createFakeClock();
    const source = readingSource(() => 1);
    const extract = ({ payload, endpoint }: PollInput<number>): void => {
      endpoint.updateMetrics({ waitingQueueSize: payload, activeModels: { m: 0 } });
      endpoint.attributes.put(note, { n: payload });
    };
    source.appendExtractor(queueExtractor({ extract }));
    const { put, revision, view } = collect({ clock, sources: [source] });
    put("a");
    await clock.advance(1500);
    const [before, { updateTime, readAt }] = [revision(), view("a").metrics];
    await clock.advance(5000);
    expect(revision()).toBe(before);
    expect(view("a").metrics.updateTime).toBe(Number(updateTime) + 5000);
    expect(view("a").metrics.readAt.waitingQueueSize).toBe(Number(readAt.waitingQueueSize) + 5000);
  });

  it("failures make a change when state or error code change, not each", async () => {
    const clock = createFakeClock();
    let code: "SCRAPE_STATUS" | "SCRAPE_AUTH" = "SCRAPE_STATUS";
    const source = readingSource(() => {
      throw new MusterError(code, "failed");
    });
    const { put, store, view } = collect({ clock, sources: [source] });
    put("a");
    const feed = readFeed(store.endpoints.changes());
    await feed.drain();
    await clock.advance(2500);
    expect(await feed.drain()).toHaveLength(1);
    code = "SCRAPE_AUTH";
    await clock.advance(1000);
    expect(await feed.drain()).toHaveLength(1);
    await clock.advance(20_000);
    expect((await feed.drain()).map(brief)).toEqual(["upsert a"]);
    expect(view("a").freshness).toMatchObject({ state: "unreachable", errorCode: "SCRAPE_AUTH" });
  });

  it("an endpoint that turns stale with time is in the feed within a second", async () => {
    const clock = createFakeClock();
    let hangs = false;
    const source = readingSource(() => (hangs ? deferred<number>().promise : 1), {
      interval: 60_000,
    });
    const { put, store, view } = collect({
      ...{ clock, sources: [source] },
      freshness: { staleAfter: "90s" },
    });
    put("a");
    await clock.advance(10);
    hangs = true;
    const feed = readFeed(store.endpoints.changes());
    await feed.drain();
    await clock.advance(89_000);
    expect(await feed.drain()).toEqual([]);
    await clock.advance(2000);
    expect((await feed.drain()).map(brief)).toEqual(["upsert a"]);
    expect(view("a").freshness.state).toBe("stale");
  });

  it.each([
    ["a success and a failed extraction", [1, new MusterError("EXTRACT_MISSING", "no queue")]],
    ["a failed poll", [new MusterError("SCRAPE_STATUS", "status 500")]],
  ])("so is one that hangs after %s, although others are well", async (_what, outcomes) => {
    const clock = createFakeClock();
    const left: (number | MusterError)[] = [...outcomes];
    const source = readingSource(({ id }) => {
      if (id === "default/well") return 1;
      const [outcome] = left;
      if (outcome === undefined) return deferred<number>().promise;
      if (typeof outcome !== "number" && outcome.code.startsWith("SCRAPE")) throw outcome;
      return 1;
    });
    const extract = ({ endpoint }: PollInput<number>): void => {
      const outcome = endpoint.id === "default/well" ? 1 : left.shift();
      if (typeof outcome !== "number" && outcome !== undefined) throw outcome;
    };
    source.appendExtractor(queueExtractor({ extract }));
    const { put, store, view } = collect({ clock, sources: [source] });
    for (const name of ["a", "well"]) put(name);
    await clock.advance(1600);
    left.length = 0;
    const feed = readFeed(store.endpoints.changes());
    await feed.drain();
    await clock.advance(10_000);
    expect((await feed.drain()).map(brief)).toEqual(["upsert a"]);
    expect([view("a").freshness.state, view("well").freshness.state]).toEqual(["stale", "fresh"]);
  });

  it("polling 1,000 endpoints with nobody listening keeps nothing but their state", async () => {
    const clock = createFakeClock();
    let n = 0;
    const source = readingSource(() => ++n);
    source.appendExtractor(queueExtractor());
    const { put, store, revision } = collect({ clock, sources: [source] });
    for (let index = 0; index < 1000; index += 1) put(`e${index}`);
    const since = store.endpoints.revision;
    await clock.advance(3000);
    expect(revision()).toBeGreaterThan(3000);
    const resumed = await readFeed(store.endpoints.changes({ since })).drain();
    expect(resumed).toHaveLength(1000);
    expect(new Set(resumed.map(({ type }) => type))).toEqual(new Set(["upsert"]));
  });
});
