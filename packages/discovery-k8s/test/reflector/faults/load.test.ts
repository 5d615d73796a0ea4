import { createFakeClock, type FakeClock } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Reader, Rig } from "./rig.ts";

/** Default times, on a clock that a test moves; requests are real. */
class Bench {
  readonly clock: FakeClock = createFakeClock();
  readonly rig: Rig;
  readonly reader: Reader;

  constructor(rig: Rig) {
    this.rig = rig;
    this.reader = rig.read({}, { clock: this.clock });
  }

  /** Waiting before the next try: one timer. Watching: two, and the server sees the watch. */
  get #rests(): "waiting" | "watching" | undefined {
    if (this.clock.pending === 1) return "waiting";
    const open = this.clock.pending === 2 && this.rig.server.openWatches === 1;
    return open ? "watching" : undefined;
  }

  async rest(): Promise<"waiting" | "watching" | undefined> {
    await expect.poll(() => this.#rests, { timeout: 8000, interval: 1 }).toBeDefined();
    return this.#rests;
  }

  /** Lets time go by in small steps, each after all requests are answered. */
  async pass(ms: number, each: () => Promise<void> | void = () => undefined): Promise<void> {
    const end = this.clock.monotonic() + ms;
    while (this.clock.monotonic() < end) {
      await this.rest();
      await each();
      await this.rest();
      await this.clock.advance(500);
    }
    await this.rest();
  }

  /** ms until the reader believes what is there. */
  async recovers(names: string[], limit: number): Promise<number> {
    const begun = this.clock.monotonic();
    while (this.reader.names.join() !== names.join()) {
      const passed = this.clock.monotonic() - begun;
      if (passed > limit) throw new Error(`not recovered after ${passed} ms`);
      await this.clock.advance(250);
      await this.rest();
    }
    return this.clock.monotonic() - begun;
  }

  requests(from = 0): { lists: number; watches: number } {
    return { lists: this.rig.count("list", from), watches: this.rig.count("watch", from) };
  }
}

let rig: Rig;
let bench: Bench;
beforeEach(async () => {
  rig = await Rig.open({}, { bookmarkInterval: 1_000_000 });
  await rig.create("a", "b");
  bench = new Bench(rig);
  await bench.rest();
  expect(bench.reader.names).toEqual(["a", "b"]);
});
afterEach(async () => {
  const stopped = rig[Symbol.asyncDispose]();
  await bench.clock.advance(0);
  await stopped;
});

const minute = 60_000;

describe("recovery within bounds, and requests within bounds", { timeout: 30_000 }, () => {
  it("a watch that is silent: 3 min and a quarter second, 20 requests in half an hour", async () => {
    rig.server.faults.silence();
    await rig.remove("a");
    const took = await bench.recovers(["b"], 4 * minute);
    expect(took).toBeGreaterThanOrEqual(3 * minute);
    expect(took).toBeLessThanOrEqual(3 * minute + 500);
    const from = rig.server.requests.length;
    await bench.pass(30 * minute);
    const { lists, watches } = bench.requests(from);
    expect(lists).toBeGreaterThan(8);
    expect(lists + watches).toBeLessThanOrEqual(20);
  });

  it("a watch that ends each second: 6 s, 35 requests a minute", async () => {
    const endAfterSecond = async (): Promise<void> => {
      if ((await bench.rest()) !== "watching") return;
      await bench.clock.advance(750);
      rig.server.faults.endWatches();
      await expect.poll(() => rig.server.openWatches, { interval: 1 }).toBe(0);
      await expect.poll(() => bench.clock.pending, { interval: 1 }).toBe(1);
    };
    await bench.pass(2 * minute, endAfterSecond);
    const from = rig.server.requests.length;
    await bench.pass(10 * minute, endAfterSecond);
    const { lists, watches } = bench.requests(from);
    expect(lists + watches).toBeGreaterThan(100);
    expect(lists + watches).toBeLessThanOrEqual(350);
    await rig.create("c");
    expect(await bench.recovers(["a", "b", "c"], minute)).toBeLessThanOrEqual(6000);
    expect(bench.reader.interruptions).toEqual([]);
  });

  it("a list that fails ten times: 2 min 32 s, eleven lists", async () => {
    await rig.remove("a");
    await bench.recovers(["b"], 1000);
    const from = rig.server.requests.length;
    rig.server.faults.fail({ verb: "list", resource: "configmaps", status: 500, times: 10 });
    rig.server.faults.loseDeletions(1);
    await rig.remove("b");
    rig.server.faults.dropWatches();
    await expect.poll(() => bench.clock.pending, { interval: 1 }).toBe(1);
    const took = await bench.recovers([], 10 * minute);
    expect(took).toBeGreaterThanOrEqual(76_000);
    expect(took).toBeLessThanOrEqual(154_500);
    expect(bench.requests(from)).toEqual({ lists: 11, watches: 1 });
    expect(bench.reader.interruptions).toContain("KUBE_UNAVAILABLE");
    await bench.reader.follows();
  });

  it("a watch that is refused at once: not more than two requests in half a minute", async () => {
    rig.server.faults.fail({ verb: "watch", resource: "configmaps", status: 500, times: 1e6 });
    rig.server.faults.dropWatches();
    await expect.poll(() => bench.clock.pending, { interval: 1 }).toBe(1);
    await bench.pass(5 * minute);
    const from = rig.server.requests.length;
    await bench.pass(30 * minute);
    const { lists, watches } = bench.requests(from);
    expect(lists).toBeGreaterThanOrEqual(59);
    expect(lists + watches).toBeLessThanOrEqual(2 * 121);
  });

  it("a server that asks for patience gets it", async () => {
    rig.server.faults.fail({ verb: "list", status: 429, retryAfter: 120 });
    const from = rig.server.requests.length;
    rig.server.faults.dropWatches();
    // the wait after the drop, then the one that the server asked for
    await expect.poll(() => bench.clock.pending, { interval: 1 }).toBe(1);
    await bench.clock.advance(500);
    await bench.rest();
    await bench.pass(119_000);
    expect(bench.requests(from).lists).toBe(1);
    await bench.pass(62_000);
    expect(bench.requests(from).lists).toBe(2);
  });
});
