import {
  type Discovery,
  type DiscoveryEvent,
  type DiscoveryInstance,
  encodeInstance,
} from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type InterruptibleStore, interruptible } from "./interruptible-store.ts";
import { endpoint, instances, model, models } from "./world.ts";

const who = fc.nat(3);
const value = fc.nat(2);
/** What can happen to a fleet of four workers and to who watches it. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("register" as const), who, value }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("unregister" as const), who, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("heal" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), count: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rest" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type View = Map<string, DiscoveryInstance>;

class Fleet {
  readonly #registry = createMemoryRegistry();
  readonly #workers = new Map<number, Discovery>();
  readonly watched: InterruptibleStore = interruptible(
    createMemoryStore({ registry: this.#registry, queueLimit: 3 }),
  );

  worker(n: number): Discovery {
    const known = this.#workers.get(n);
    if (known !== undefined) return known;
    const store = createMemoryStore({ registry: this.#registry, connectionId: BigInt(n + 1) });
    const worker = createKvDiscovery(store);
    this.#workers.set(n, worker);
    return worker;
  }

  /** Its lease ends, and it comes back with the same id. */
  async die(n: number): Promise<void> {
    await this.#workers.get(n)?.close();
    this.#workers.delete(n);
  }
}

function apply(view: View, event: DiscoveryEvent): void {
  if (event.type === "Added") view.set(event.instance.id().key, event.instance);
  else if (event.type === "Removed") view.delete(event.id.key);
  else if (event.type === "Resync") expect(wire(view.values())).toEqual(wire(event.instances));
}

const wire = (all: Iterable<DiscoveryInstance>): string[] => [...all].map(encodeInstance).sort();

async function run(
  steps: readonly Step[],
  kind: "Endpoint" | "Model",
  options: { queueLimit: number; resync: boolean },
): Promise<void> {
  const fleet = new Fleet();
  const plane = createKvDiscovery(fleet.watched);
  const query = kind === "Model" ? models : instances;
  const view: View = new Map();
  // models of one endpoint have one name here, so that they fit each other
  const spec = (n: number) =>
    kind === "Model" ? model({ display_name: "m", value: n }) : endpoint(`h:${n}`);
  const stream = await plane.listAndWatch(query, options);
  const reads: Promise<void>[] = [];
  for (const one of steps) {
    if (one.do === "register") {
      // a changed value is unregistered first, as the plane wants it
      const worker = fleet.worker(one.who);
      const own = (await worker.list(query)).filter((i) => i.instanceId === worker.instanceId);
      for (const instance of own) await worker.unregister(instance);
      await worker.register(spec(one.value));
    } else if (one.do === "unregister") {
      for (const instance of await plane.list(query))
        if (instance.instanceId === BigInt(one.who + 1)) await plane.unregister(instance);
    } else if (one.do === "die") await fleet.die(one.who);
    else if (one.do === "cut") fleet.watched.cut();
    else if (one.do === "heal") fleet.watched.heal();
    else if (one.do === "rest") await new Promise((resolve) => setImmediate(resolve));
    else
      for (let n = 0; n < one.count; n++)
        reads.push(stream.next().then(({ value, done }) => void (done || apply(view, value))));
  }
  fleet.watched.heal();
  const truth = wire(await fleet.worker(0).list(query));
  await new Promise((resolve) => setImmediate(resolve));
  await plane.close();
  await Promise.all(reads);
  for await (const event of stream) apply(view, event);
  expect(wire(view.values())).toEqual(truth);
}

describe("a watch of the plane, after any history", () => {
  const settings = fc.record({ queueLimit: fc.integer({ min: 1, max: 6 }), resync: fc.boolean() });

  it.each(["Endpoint", "Model"] as const)("shows its reader the truth: %s", async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), settings, (steps, options) =>
        run(steps, kind, options),
      ),
      { numRuns: 200 },
    );
  });
});
