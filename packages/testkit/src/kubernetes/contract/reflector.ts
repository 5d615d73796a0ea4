import { type TestApi, using } from "../../contracts/test-api.ts";
import { settled, verify, verifyEqual } from "../../contracts/verify.ts";
import { type FollowedEvent, FollowedLog } from "./log.ts";
import { type ClusterClient, createKubernetesWorld, type KubernetesWorld } from "./world.ts";

/** Which config maps are to be followed. */
export interface FollowRequest {
  /** Unset: of all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly signal: AbortSignal;
}

/** A cluster, and what follows objects in it. */
export interface ReflectorCluster extends ClusterClient {
  /** Begins to follow config maps. */
  follow(request: FollowRequest): AsyncIterableIterator<FollowedEvent>;
  close?(): void | Promise<void>;
}

/** What {@link describeReflector} needs. */
export interface ReflectorHarness {
  /** Opens a cluster: any, real or not; tests make namespaces of their own in it. */
  open(): ReflectorCluster | Promise<ReflectorCluster>;
  /** ms to wait for what must happen; default 10,000, as a real cluster may need. */
  readonly patience?: number | undefined;
}

/** One test's cluster, namespace and readers. */
class Bench {
  readonly cluster: ReflectorCluster;
  readonly world: KubernetesWorld;
  readonly #stop = new AbortController();
  readonly #patience: number;

  constructor(cluster: ReflectorCluster, world: KubernetesWorld, patience: number) {
    this.cluster = cluster;
    this.world = world;
    this.#patience = patience;
  }

  events(request: Partial<FollowRequest> = {}): AsyncIterableIterator<FollowedEvent> {
    const { namespace } = this.world;
    return this.cluster.follow({
      namespace,
      labelSelector: "muster=test",
      signal: this.#stop.signal,
      ...request,
    });
  }

  follow(request: Partial<FollowRequest> = {}): FollowedLog {
    return new FollowedLog(this.events(request), this.#patience);
  }

  async another(): Promise<KubernetesWorld> {
    return await createKubernetesWorld(this.cluster);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.world.close();
    await this.cluster.close?.();
  }
}

const labels = { muster: "test" } as const;

/**
 * The contract of what lists and watches objects of a Kubernetes cluster: what readers are told, whatever
 * the cluster. What it has to survive is not part of it, since real clusters cannot be told to fail.
 */
export function describeReflector({ describe, it }: TestApi, harness: ReflectorHarness): void {
  const patience = harness.patience ?? 10_000;
  const test = (name: string, body: (bench: Bench) => Promise<void>): unknown =>
    it(name, () =>
      using(async () => {
        const cluster = await harness.open();
        return new Bench(cluster, await createKubernetesWorld(cluster), patience);
      }, body),
    );
  describe("reflector", () => {
    pictureTests(test, patience);
    selectionTests(test);
    endTests(test, patience);
  });
}

type Test = (name: string, body: (bench: Bench) => Promise<void>) => unknown;

function pictureTests(test: Test, patience: number): void {
  test("reports what is there, then that this is all, then what changes", async (bench) => {
    const { world } = bench;
    for (const name of ["a", "b"]) await world.create(name, { labels, data: { is: name } });
    const log = bench.follow();
    await log.shows(() => log.synced, 1, "complete pictures");
    const first = log.events.map(({ type }) => type);
    verifyEqual(first, ["Added", "Added", "Synced"], "the first picture");
    await world.create("c", { labels });
    await world.change("a", { data: { is: "changed" } });
    await world.delete("b");
    await log.settles(["a", "c"], "objects after changes");
    await log.shows(() => log.objects.get("a")?.data, { is: "changed" }, "the changed object");
  });

  test("says that an object was replaced by another of its name", async (bench) => {
    const { world } = bench;
    const old = await world.create("a", { labels });
    const log = bench.follow();
    await log.settles(["a"], "objects before");
    await world.delete("a");
    const next = await world.create("a", { labels });
    await log.shows(() => log.objects.get("a")?.metadata.uid, next.metadata.uid, "the new object");
    const told = log.events.flatMap((event) =>
      event.type === "Deleted" ? [event.object.metadata.uid] : [],
    );
    verifyEqual(told, [old.metadata.uid], "objects that are gone");
  });

  test("says nothing of an update that changes nothing", async (bench) => {
    const { world } = bench;
    await world.create("a", { labels, data: { x: "1" } });
    const log = bench.follow();
    await log.shows(() => log.synced, 1, "complete pictures");
    await world.change("a", { data: { x: "1" } });
    await world.create("end", { labels });
    await log.settles(["a", "end"], "objects after nothing");
    verify(!log.events.some(({ type }) => type === "Modified"), "nothing was modified");
  });

  test("gives objects that readers cannot change, whatever their fields are called", async (bench) => {
    const data = { ["__proto__"]: "1", constructor: "2" };
    await bench.world.create("a", { labels, data });
    const log = bench.follow();
    await log.settles(["a"], "objects");
    const object = log.objects.get("a");
    verifyEqual(Object.entries(object?.data ?? {}).sort(), Object.entries(data).sort(), "its data");
    for (const part of [object, object?.metadata, object?.metadata.labels, object?.data])
      verify(Object.isFrozen(part), "every part of an object is frozen");
  });

  test("leaves out steps for a reader that is slow, and no outcome", async (bench) => {
    const { world } = bench;
    const events = bench.events();
    await world.create("a", { labels });
    const first = await settled(events.next(), "the first event", patience);
    verify(first.value?.type === "Added", "the first event is about the object");
    for (const round of ["1", "2", "3"]) await world.change("a", { data: { round } });
    await world.create("b", { labels });
    await world.delete("b");
    await world.create("c", { labels });
    const seen = new Map<string, unknown>();
    for await (const event of events) {
      if (event.type === "Deleted") seen.delete(event.object.metadata.name);
      else if (event.type !== "Synced") seen.set(event.object.metadata.name, event.object.data);
      if (seen.has("c")) break;
    }
    verifyEqual([...seen.keys()].sort(), ["a", "c"], "objects in the end");
  });
}

function selectionTests(test: Test): void {
  test("follows what becomes selected, and lets go of what is not any more", async (bench) => {
    const { world } = bench;
    await world.create("in", { labels });
    await world.create("out");
    const log = bench.follow();
    await log.settles(["in"], "selected objects");
    await world.change("in", { labels: { muster: "other" } });
    await world.change("out", { labels });
    await log.settles(["out"], "selected objects after labels changed");
  });

  test("follows one object alone", async (bench) => {
    const { world } = bench;
    for (const name of ["a", "b"]) await world.create(name, { labels });
    const log = bench.follow({ fieldSelector: "metadata.name=a" });
    await log.settles(["a"], "objects of that name");
    await world.delete("b");
    await world.delete("a");
    await log.settles([], "objects of that name after its end");
    await world.create("a", { labels });
    await log.settles(["a"], "objects of that name after its return");
  });

  test("keeps namespaces apart, and follows all of them when asked to", async (bench) => {
    const { world } = bench;
    const other = await bench.another();
    try {
      const run = { run: world.namespace };
      await world.create("mine", { labels: run });
      await other.create("theirs", { labels: run });
      const labelSelector = `run=${world.namespace}`;
      const mine = bench.follow({ labelSelector });
      const all = bench.follow({ labelSelector, namespace: undefined });
      await mine.settles(["mine"], "objects of one namespace");
      await all.settles(["mine", "theirs"], "objects of all namespaces");
      await other.delete("theirs");
      await all.settles(["mine"], "objects of all namespaces after a deletion");
    } finally {
      await other.close();
    }
  });
}

function endTests(test: Test, patience: number): void {
  test("ends with its signal, and when it is returned", async (bench) => {
    const stop = new AbortController();
    const aborted = bench.follow({ signal: stop.signal });
    await aborted.shows(() => aborted.synced, 1, "complete pictures");
    stop.abort();
    await settled(aborted.done, "the end of an aborted reader", patience);
    const events = bench.events();
    await settled(events.next(), "the first event", patience);
    await settled(Promise.resolve(events.return?.()), "the end of a returned reader", patience);
    const { done } = await settled(events.next(), "a read after the end", patience);
    verifyEqual(done, true, "whether it has ended");
  });
}
