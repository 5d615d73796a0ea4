import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { createDiscoveryStream } from "./discovery-stream.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { ModelInstance } from "./model-instance.ts";
import { readTaints, withTaints } from "./model-taints.ts";
import { RawJson } from "./raw-json.ts";

/** A record is one of 6 ids with one of 3 values. */
const record = fc.record({ id: fc.nat(5), value: fc.nat(2) });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), record }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("remove" as const), record }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gap" as const), all: fc.array(record) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), count: fc.nat(4) }) },
);
const history = fc.array(step, { maxLength: 60 });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type View = Map<string, DiscoveryInstance>;

/** The reader: applies what it reads, and holds the stream to its word. */
function apply(view: View, event: DiscoveryEvent): void {
  switch (event.type) {
    case "Added":
      view.set(event.instance.id().key, event.instance);
      break;
    case "Removed":
      view.delete(event.id.key);
      break;
    case "ModelTaintsUpdated": {
      const model = view.get(event.id.key);
      if (model?.type !== "Model") throw new Error("taints of a model that was not added");
      view.set(event.id.key, withTaints(model, event.taints));
      break;
    }
    case "Resync":
      // the differences came before it, so it is no news
      expect(shown(view)).toEqual(shown(byKey(event.instances)));
  }
}

const byKey = (all: Iterable<DiscoveryInstance>): View =>
  new Map([...all].map((instance) => [instance.id().key, instance]));

const shown = (view: View): unknown =>
  [...view]
    .map(([key, instance]) =>
      instance.type === "Model"
        ? [key, (instance.cardJson.value as { name: string }).name, readTaints(instance)]
        : [key, instance.type === "Endpoint" && instance.transport],
    )
    .sort();

/** Runs a history, then reads all there is: the reader's view and the truth. */
async function run(
  steps: readonly Step[],
  options: {
    queueLimit: number;
    resync: boolean;
    make: (id: number, value: number) => DiscoveryInstance;
  },
): Promise<{ view: View; truth: View; resyncs: number }> {
  const { make, queueLimit, resync } = options;
  const type = make(0, 0).type === "Model" ? "AllModels" : "AllEndpoints";
  const feed = createDiscoveryStream({ query: { type }, queueLimit, resync });
  const view: View = new Map();
  let resyncs = 0;
  const take = (event: DiscoveryEvent): void => {
    if (event.type === "Resync") resyncs++;
    apply(view, event);
  };
  const pending: Promise<void>[] = [];
  let truth: View = new Map();
  feed.replace([]);
  for (const one of steps) {
    if (one.do === "put") {
      const instance = make(one.record.id, one.record.value);
      // a model is never changed in place but in its taints: it is withdrawn first
      truth.set(instance.id().key, instance);
      feed.put(instance);
    } else if (one.do === "remove") {
      const id = make(one.record.id, 0).id();
      truth.delete(id.key);
      feed.remove(id);
    } else if (one.do === "gap") {
      truth = byKey(one.all.map(({ id, value }) => make(id, value)));
      feed.replace(truth.values());
    } else
      for (let n = 0; n < one.count; n++)
        pending.push(feed.stream.next().then(({ value, done }) => void (done || take(value))));
    await Promise.resolve();
  }
  feed.end();
  await Promise.all(pending);
  for await (const event of feed.stream) take(event);
  return { view, truth, resyncs };
}

const names = { namespace: "ns", component: "c", endpoint: "e" };
const endpoint = (id: number, value: number): DiscoveryInstance =>
  new EndpointInstance({ ...names, instanceId: BigInt(id), transport: { tcp: `h:${value}` } });
const tainted = (id: number, value: number): DiscoveryInstance =>
  new ModelInstance({
    ...names,
    instanceId: BigInt(id),
    cardJson: RawJson.of({ name: `m${id}`, runtime_config: { taints: [`t${value}`] } }),
  });

describe("createDiscoveryStream, after any history", () => {
  const settings = fc.record({ queueLimit: fc.integer({ min: 1, max: 8 }), resync: fc.boolean() });

  it.each([
    ["endpoints", endpoint],
    ["models with changing taints", tainted],
  ])("leaves the reader with the truth: %s", async (_name, make) => {
    await fc.assert(
      fc.asyncProperty(history, settings, async (steps, options) => {
        const { view, truth, resyncs } = await run(steps, { ...options, make });
        expect(shown(view)).toEqual(shown(truth));
        if (options.resync) expect(resyncs).toBeGreaterThan(0);
        else expect(resyncs).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it("leaves the reader with the truth: models that are withdrawn and registered anew", async () => {
    const make = (id: number, value: number): DiscoveryInstance =>
      new ModelInstance({
        ...names,
        instanceId: BigInt(id),
        cardJson: RawJson.of({ name: `m${value}` }),
      });
    await fc.assert(
      fc.asyncProperty(history, settings, async (steps, options) => {
        const legal = steps.flatMap((one): Step[] =>
          one.do === "put" ? [{ do: "remove", record: one.record }, one] : [one],
        );
        const { view, truth } = await run(legal, { ...options, make });
        expect(shown(view)).toEqual(shown(truth));
      }),
      { numRuns: 400 },
    );
  });
});
