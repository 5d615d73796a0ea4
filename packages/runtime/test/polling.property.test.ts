import { type EndpointWriter, MusterError } from "@muster/core";
import { createFakeClock, type FakeClock } from "@muster/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Collecting, collect } from "./support/collect.ts";
import { queueExtractor, readingSource } from "./support/fleet.ts";

const interval = 100;
const names = ["a", "b", "c"] as const;
const name = fc.constantFrom(...names);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 0, max: 700 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("put"),
      name,
      port: fc.integer({ min: 1, max: 2 }),
      enabled: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop"), name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant("server"), name },
      does: fc.constantFrom("ok", "slow", "down", "refuses"),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Servers of which each answers as told, and which notice polls that should not be. */
class Servers {
  readonly does = new Map<string, string>();
  readonly polledAt = new Map<string, number>();
  readonly clock: FakeClock;
  readonly #busy = new Map<EndpointWriter, number>();

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  async poll(endpoint: EndpointWriter, signal: AbortSignal): Promise<number> {
    const { clock } = this;
    const server = endpoint.id.replace("default/", "");
    expect(signal.aborted).toBe(false);
    expect(endpoint.metadata.metrics.enabled).toBe(true);
    expect(this.#busy.get(endpoint) ?? 0).toBe(0);
    this.#busy.set(endpoint, 1);
    this.polledAt.set(server, clock.monotonic());
    try {
      return await this.#answer(this.does.get(server) ?? "ok");
    } finally {
      this.#busy.set(endpoint, 0);
    }
  }

  async #answer(does: string): Promise<number> {
    if (does === "down") throw new MusterError("SCRAPE_STATUS", "status 500");
    if (does === "refuses") throw new MusterError("SCRAPE_CONNECT", "refused");
    if (does === "slow")
      await new Promise<void>((resolve) => void this.clock.schedule(resolve, 3 * interval));
    return 1;
  }
}

async function apply(it: Step, parts: Collecting, servers: Servers): Promise<void> {
  if ("ms" in it) await servers.clock.advance(it.ms);
  else if ("does" in it) servers.does.set(it.name, it.does);
  else if ("port" in it) parts.put(it.name, { port: it.port, metrics: { enabled: it.enabled } });
  else parts.drop(it.name);
}

async function run(steps: readonly Step[]): Promise<void> {
  const clock = createFakeClock();
  const servers = new Servers(clock);
  const failures: unknown[] = [];
  const source = readingSource((endpoint, { signal }) =>
    servers.poll(endpoint, signal).catch((error: unknown) => {
      if (!(error instanceof MusterError)) failures.push(error);
      throw error;
    }),
  );
  source.appendExtractor(queueExtractor());
  const parts = collect({ clock, sources: [source], interval });
  for (const it of steps) await apply(it, parts, servers);
  for (const each of names) servers.does.set(each, "ok");
  // longer than the longest back-off, and than what is slow still takes
  await clock.advance(interval * 12);
  expect(failures).toEqual([]);
  for (const { id, metadata, freshness, metrics } of parts.store.endpoints.list()) {
    const { enabled } = metadata.metrics;
    expect(freshness.state).toBe(enabled ? "fresh" : "unpolled");
    if (!enabled) continue;
    expect(metrics.waitingQueueSize).toBe(1);
    const age = clock.monotonic() - (servers.polledAt.get(id.replace("default/", "")) ?? 0);
    expect(age).toBeLessThanOrEqual(interval + 5);
  }
  await parts.collectors.stop();
  expect(clock.pending).toBe(0);
}

describe("after any history of endpoints and servers", () => {
  it("polls never overlap nor reach what is gone or off, and all are fresh once all servers are well", async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), run), { numRuns: 100 });
  });
});
