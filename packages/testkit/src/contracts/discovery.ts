import { type EndpointDiscovery, type EndpointMetadata, isMusterError } from "@muster/core";
import { createRunner, expected, type Runner, view } from "./discovery-run.ts";
import { type Closable, type TestApi, using } from "./test-api.ts";
import {
  defaultPatience,
  eventually,
  isPending,
  settled,
  verify,
  verifyEqual,
  verifyFails,
} from "./verify.ts";

/** A discovery and the outside world it looks at: a file, a cluster, a key-value store. */
export interface DiscoveryWorld extends Closable {
  readonly discovery: EndpointDiscovery;
  /** Makes exactly these endpoints exist outside. Called before start and while it runs. */
  set(endpoints: readonly EndpointMetadata[]): void | Promise<void>;
  /** Makes the outside world unreadable as a whole, so that a start from now on fails. */
  destroy?(): void | Promise<void>;
  /** Makes the outside world unreachable in a way that a discovery has to live through. */
  interrupt?(): void | Promise<void>;
  /** Ends an interruption; what was `set` meanwhile is there. */
  restore?(): void | Promise<void>;
}

/** What {@link describeDiscovery} needs. */
export interface DiscoveryHarness {
  /** A discovery that was not started, over a world without endpoints. */
  make(): DiscoveryWorld | Promise<DiscoveryWorld>;
  /** Three different endpoints that this discovery can find. */
  readonly endpoints: readonly [EndpointMetadata, EndpointMetadata, EndpointMetadata];
  /** The first of them with the same id and something else changed. */
  readonly changed: EndpointMetadata;
  /** How long a change may take to be seen, ms; default 3,000. */
  readonly patience?: number | undefined;
}

/** The contract of an endpoint discovery. */
export function describeDiscovery({ describe, it }: TestApi, harness: DiscoveryHarness): void {
  const patience = harness.patience ?? defaultPatience;
  const test: Bench["test"] = (name, body) => {
    it(name, () => using(harness.make, body));
  };
  const bench: Bench = { test, harness, patience, ...createRunner(patience) };
  describe("discovery", () => {
    reportTests(bench);
    changeTests(bench);
    lifecycleTests(bench);
    outageTests(bench);
    it("shares nothing between two instances", () =>
      using(harness.make, (one) => using(harness.make, (two) => apart(bench, one, two))));
  });
}

interface Bench extends Runner {
  test(name: string, body: (world: DiscoveryWorld) => Promise<void>): void;
  readonly harness: DiscoveryHarness;
  readonly patience: number;
}

function reportTests({ test, harness, running }: Bench): void {
  const [first, second] = harness.endpoints;
  test("reports all known endpoints before it is ready", async (world) => {
    await world.set([first, second]);
    await running(world, async ({ found, ready }) => {
      await ready;
      verifyEqual(view(found), expected([first, second]), "endpoints when ready");
    });
  });

  test("is ready without endpoints too", async (world) => {
    await running(world, async ({ found, ready }) => {
      await ready;
      verifyEqual(view(found), {}, "endpoints when ready");
    });
  });

  test("reports immutable metadata", async (world) => {
    await world.set([first]);
    await running(world, async ({ found, ready }) => {
      await ready;
      for (const metadata of found.values())
        verify(
          [metadata, metadata.labels, metadata.metrics].every(Object.isFrozen),
          "metadata must come from createEndpointMetadata",
        );
    });
  });
}

function changeTests({ test, harness, running, patience }: Bench): void {
  const [first, second, third] = harness.endpoints;
  test("follows what comes, changes and goes", async (world) => {
    await world.set([first, second]);
    await running(world, async ({ found, ready }) => {
      await ready;
      for (const now of [[first, second, third], [harness.changed, second, third], [third]]) {
        await world.set(now);
        await eventually(() => view(found), expected(now), "endpoints after a change", patience);
      }
    });
  });

  test("ends at the last state when changes come in a burst", async (world) => {
    await running(world, async ({ found, ready }) => {
      await ready;
      for (const now of [[first], [first, second], [second], [], [harness.changed, third]])
        await world.set(now);
      await eventually(
        () => view(found),
        expected([harness.changed, third]),
        "endpoints",
        patience,
      );
    });
  });
}

function lifecycleTests({ test, harness, start, running, patience }: Bench): void {
  const [first] = harness.endpoints;
  test("resolves at the abort and reports nothing afterwards; starts again", async (world) => {
    const ended = await running(world, async ({ ready }) => ready);
    const calls = ended.calls();
    await world.set([first]);
    await running(world, async ({ found, ready }) => {
      await ready;
      verifyEqual(view(found), expected([first]), "endpoints of the second start");
    });
    verifyEqual(ended.calls(), calls, "calls of the first start's notifier after its end");
  });

  test("ends at once when it is started with an aborted signal", async (world) => {
    await world.set([first]);
    const run = start(world.discovery);
    run.controller.abort();
    await settled(run.done, "start", patience);
    const late = start(world.discovery, AbortSignal.abort());
    await settled(late.done, "start with an aborted signal", patience);
    verifyEqual(view(late.found), {}, "endpoints");
  });

  test("never rejects ready, and gives a new one for each start", async (world) => {
    const before = world.discovery.ready();
    verify(await isPending(before), "ready must be pending before the first start");
    await running(world, async ({ ready }) => ready);
    if (world.destroy === undefined) return;
    await world.destroy();
    const run = start(world.discovery);
    const ready = world.discovery.ready();
    await verifyFails(() => run.done, "start over an unreadable world");
    verify(await isPending(ready), "ready must stay pending when start failed first");
  });
}

function outageTests({ test, harness, running, patience }: Bench): void {
  const [first, second, third] = harness.endpoints;
  test("waits for a world that cannot be reached, and says why", async (world) => {
    if (world.interrupt === undefined) return;
    await world.set([first]);
    await world.interrupt();
    await running(world, async ({ found, ready, outage }) => {
      await eventually(
        () => isMusterError(outage()),
        true,
        "degraded with a MusterError",
        patience,
      );
      verify(await isPending(ready), "ready must be pending without a complete first pass");
      await world.restore?.();
      await ready;
      verifyEqual(view(found), expected([first]), "endpoints when ready");
      await eventually(outage, undefined, "recovered", patience);
    });
  });

  test("keeps what it found while the world cannot be reached, and catches up", async (world) => {
    if (world.interrupt === undefined) return;
    await world.set([first, second]);
    await running(world, async ({ found, ready, outage }) => {
      await ready;
      await world.interrupt?.();
      await eventually(
        () => isMusterError(outage()),
        true,
        "degraded with a MusterError",
        patience,
      );
      verifyEqual(view(found), expected([first, second]), "endpoints during the outage");
      await world.restore?.();
      await world.set([second, third]);
      await eventually(
        () => view(found),
        expected([second, third]),
        "endpoints after it",
        patience,
      );
      await eventually(outage, undefined, "recovered", patience);
    });
  });
}

async function apart(bench: Bench, one: DiscoveryWorld, two: DiscoveryWorld): Promise<void> {
  const { harness, running, patience } = bench;
  const [first, second, third] = harness.endpoints;
  await one.set([first]);
  await two.set([second]);
  await running(one, async (a) => {
    await running(two, async (b) => {
      await Promise.all([a.ready, b.ready]);
      await one.set([third]);
      await eventually(() => view(a.found), expected([third]), "endpoints of one", patience);
      verifyEqual(view(b.found), expected([second]), "endpoints of the other");
    });
  });
}
