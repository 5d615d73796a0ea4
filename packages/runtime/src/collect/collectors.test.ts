import type { EndpointWriter, PollInput } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import {
  type Deferred,
  deferred,
  queueExtractor,
  readingSource,
} from "../../test/support/fleet.ts";

describe("section 5: the collector of an endpoint", () => {
  it("polls it by every source at that source's interval", async () => {
    const clock = createFakeClock();
    const polls = { fast: 0, slow: 0 };
    const source = (name: "fast" | "slow", interval: number) =>
      readingSource(
        () => {
          polls[name] += 1;
          return 1;
        },
        { name, interval, clock },
      );
    const { put } = collect({ clock, sources: [source("fast", 100), source("slow", 500)] });
    put("a");
    await clock.advance(5000);
    expect(polls.fast).toBeGreaterThanOrEqual(50);
    expect(polls.fast).toBeLessThanOrEqual(51);
    expect(polls.slow).toBeGreaterThanOrEqual(10);
    expect(polls.slow).toBeLessThanOrEqual(11);
  });

  it("never polls one endpoint twice at once by one source, and goes on once it answered", async () => {
    const clock = createFakeClock();
    const answers: Deferred<number>[] = [];
    const source = readingSource(() => {
      const answer = deferred<number>();
      answers.push(answer);
      return answer.promise;
    });
    const { put } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(1000);
    expect(answers).toHaveLength(1);
    answers[0]?.resolve(1);
    await clock.advance(100);
    expect(answers).toHaveLength(2);
  });

  it("servers that hang hold up nobody else", async () => {
    const clock = createFakeClock();
    const polled = new Map<string, number>();
    const source = readingSource(({ id }) => {
      polled.set(id, (polled.get(id) ?? 0) + 1);
      return id.includes("hang") ? new Promise<number>(() => undefined) : 1;
    });
    const { put } = collect({ clock, sources: [source], interval: 100 });
    for (let index = 0; index < 500; index += 1) put(`hang-${index}`);
    put("a");
    await clock.advance(2000);
    expect(polled.get("default/a")).toBeGreaterThanOrEqual(19);
  });

  it("spreads the polls of many endpoints over the interval", async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    const source = readingSource(() => at.push(clock.monotonic()));
    const { put } = collect({ clock, sources: [source], interval: 1000 });
    for (let index = 0; index < 400; index += 1) put(`e${index}`);
    await clock.advance(5000);
    const last = at.filter((time) => time >= 3000 && time < 4000);
    expect(last).toHaveLength(400);
    const perSlot = countBy(last, 50);
    expect(Math.max(...perSlot.values())).toBeLessThanOrEqual(25);
    expect(Math.min(...perSlot.values())).toBeGreaterThanOrEqual(15);
  });

  it("a small fleet is polled at once, however many endpoints were there before", async () => {
    const clock = createFakeClock();
    const polled: string[] = [];
    const source = readingSource(({ id }) => polled.push(id));
    const { put, drop } = collect({ clock, sources: [source], interval: 60_000 });
    for (let index = 0; index < 2000; index += 1) {
      put(`gone-${index}`);
      drop(`gone-${index}`);
    }
    put("a");
    await clock.advance(5);
    expect(polled).toEqual(["default/a"]);
  });

  it("a delete stops it at once: the poll in flight is aborted and its answer writes nothing", async () => {
    const clock = createFakeClock();
    const answer = deferred<number>();
    const signals: AbortSignal[] = [];
    const source = readingSource((_endpoint, { signal }) => {
      signals.push(signal);
      return answer.promise;
    });
    source.appendExtractor(queueExtractor());
    const { put, drop, view, collectors } = collect({ clock, sources: [source] });
    put("a");
    const gone = view("a");
    await clock.advance(10);
    drop("a");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    answer.resolve(7);
    await clock.advance(5000);
    expect(signals).toHaveLength(1);
    expect(gone.metrics.waitingQueueSize).toBeUndefined();
    await collectors.stop();
  });

  it("a late answer does not write to an endpoint that was removed and added again [dynamo#14606]", async () => {
    const clock = createFakeClock();
    const first = deferred<number>();
    const writers: EndpointWriter[] = [];
    const source = readingSource((endpoint) => (writers.push(endpoint) === 1 ? first.promise : 2), {
      clock,
    });
    source.appendExtractor(queueExtractor());
    const { put, drop, view, meter } = collect({ clock, sources: [source], interval: 500 });
    put("a");
    await clock.advance(10);
    drop("a");
    put("a");
    await clock.advance(300);
    first.resolve(99);
    await clock.advance(10);
    expect(() => writers[0]?.updateMetrics({ waitingQueueSize: 99 })).toThrow(/late write/);
    expect(view("a").metrics.waitingQueueSize).toBe(2);
    expect(view("a").freshness.failures).toBe(0);
    expect(meter.value("muster_datalayer_dead_handle_writes_total")).toBe(1);
  });

  it("an upsert that overlaps a delete of the same key keeps the endpoint, and polls it", async () => {
    const clock = createFakeClock();
    let polls = 0;
    const { put, drop, view } = collect({
      clock,
      sources: [readingSource(() => ++polls)],
      interval: 100,
    });
    put("a");
    await clock.advance(10);
    drop("a");
    put("a");
    drop("a");
    put("a", { port: 9 });
    const before = polls;
    await clock.advance(1000);
    expect(view("a").metadata.port).toBe("9");
    expect(polls - before).toBeGreaterThanOrEqual(10);
    expect(polls - before).toBeLessThanOrEqual(11);
  });

  it("an endpoint that changes keeps its rhythm, metrics and freshness", async () => {
    const clock = createFakeClock();
    let polls = 0;
    const source = readingSource(() => ++polls);
    source.appendExtractor(queueExtractor());
    const { put, view } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(250);
    const seen = polls;
    put("a", { labels: { x: "1" } });
    expect(view("a").freshness.state).toBe("fresh");
    await clock.advance(40);
    expect(polls).toBe(seen);
    expect(view("a").metrics.waitingQueueSize).toBe(seen);
  });

  it("one that is to be scraped elsewhere is polled there at once; the old answer is dropped", async () => {
    const clock = createFakeClock();
    const old = deferred<number>();
    const source = readingSource(({ metadata }) => (metadata.port === "1" ? old.promise : 2));
    source.appendExtractor(queueExtractor());
    const { put, view } = collect({ clock, sources: [source], interval: 60_000 });
    put("a", { port: 1 });
    await clock.advance(10);
    put("a", { port: 2 });
    old.resolve(1);
    await clock.advance(1000);
    expect(view("a").metrics.waitingQueueSize).toBe(2);
  });

  it("tells source and extractors to release an endpoint that is gone", async () => {
    const clock = createFakeClock();
    const released: string[] = [];
    const source = readingSource(() => 1, { released });
    const { put, drop } = collect({ clock, sources: [source] });
    put("a");
    put("b");
    await clock.advance(10);
    drop("a");
    expect(released).toEqual(["default/a"]);
  });

  it("releases again what a poll in flight left behind, unless the endpoint is back", async () => {
    const clock = createFakeClock();
    const answers = new Map<string, Deferred<number>>();
    const released: string[] = [];
    const poll = ({ id }: EndpointWriter): Promise<number> => {
      const answer = deferred<number>();
      answers.set(id, answer);
      return answer.promise;
    };
    const { put, drop } = collect({ clock, sources: [readingSource(poll, { released })] });
    for (const name of ["gone", "back"]) put(name);
    await clock.advance(10);
    for (const name of ["gone", "back"]) drop(name);
    put("back");
    for (const answer of answers.values()) answer.resolve(1);
    await clock.advance(0);
    expect(released).toEqual(["default/gone", "default/back", "default/gone"]);
  });

  it("stop returns only when nothing is in flight, is idempotent, and nothing writes after it", async () => {
    const clock = createFakeClock();
    const answer = deferred<number>();
    const writes: PollInput<number>[] = [];
    const source = readingSource(() => answer.promise);
    source.appendExtractor(queueExtractor({ extract: (input) => void writes.push(input) }));
    const { put, collectors, revision } = collect({ clock, sources: [source] });
    put("a");
    await clock.advance(10);
    let stopped = 0;
    for (const stop of [collectors.stop(), collectors.stop()]) void stop.then(() => (stopped += 1));
    await clock.advance(0);
    expect(stopped).toBe(0);
    const before = revision();
    answer.resolve(1);
    await clock.advance(0);
    expect(stopped).toBe(2);
    expect([writes, revision(), clock.pending]).toEqual([[], before, 0]);
  });
});

function countBy(times: readonly number[], width: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) {
    const slot = Math.floor(time / width);
    counts.set(slot, (counts.get(slot) ?? 0) + 1);
  }
  return counts;
}
