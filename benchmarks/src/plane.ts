import {
  type Discovery,
  type DiscoveryEvent,
  type KeyValueStore,
  planeBuckets,
} from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { heapUsed } from "./heap.ts";
import { figure, percentile } from "./measure.ts";
import { etcd3Sync } from "./plane-etcd3.ts";
import { type PlaneStore, planeStores } from "./plane-stores.ts";
import { type Check, type Report, type Row, round, show } from "./table.ts";

const everything = { type: "AllEndpoints" } as const;

interface Scale {
  readonly records: number;
  readonly rounds: number;
  readonly latencies: number;
  /** ms. */
  readonly churn: number;
}

/** The discovery plane on each store: list, first pass, latency, churn, memory; etcd3 in the same run. */
export async function benchPlane(smoke: boolean): Promise<Report> {
  const scale: Scale = smoke
    ? { records: 200, rounds: 1, latencies: 20, churn: 300 }
    : { records: 10_000, rounds: 7, latencies: 500, churn: 10_000 };
  const rows: Row[] = [];
  const checks: Check[] = [];
  for (const store of await planeStores()) {
    try {
      const measured = await measure(store, scale);
      rows.push(...measured.rows);
      checks.push(...measured.checks);
    } finally {
      await store.close();
    }
  }
  return { name: `plane: ${scale.records} instances`, rows, checks };
}

async function measure(store: PlaneStore, scale: Scale): Promise<{ rows: Row[]; checks: Check[] }> {
  await using writer = createKvDiscovery(store.connect());
  await fill(writer, scale.records);
  await using reader = createKvDiscovery(store.connect());
  const list = await timed(scale.rounds, () => reader.list(everything));
  await using client = store.connect();
  const sync: number[] = [];
  const range: number[] = [];
  const peer: number[] = [];
  for (let turn = 0; turn < scale.rounds; turn++) {
    // taken in turns, so that all see the machine in the same state
    sync.push(...(await timed(1, () => firstPass(reader))));
    range.push(...(await timed(1, () => rangeAndWatch(client))));
    if (store.url !== undefined) peer.push(await etcd3Sync(store.url));
  }
  const memory = await bytesPerRecord(reader, scale.records);
  const latency = await latencies(reader, writer, scale.latencies);
  const churn = await churned(reader, writer, scale);
  const rows: Row[] = [
    {
      store: store.name,
      "first pass ms": show(figure(sync)),
      "range + watch ms": show(figure(range)),
      "list ms": show(figure(list)),
      "event ms p50": round(percentile(latency, 0.5)),
      "event ms p99": round(percentile(latency, 0.99)),
      "churn records/s": round(churn.rate),
      lost: churn.lost,
      "bytes/record": round(memory),
    },
  ];
  if (peer.length > 0) rows.push({ store: "etcd3", "range + watch ms": show(figure(peer)) });
  return { rows, checks: checksOf(store, { sync, range, peer, latency, lost: churn.lost }) };
}

function checksOf(
  { name }: PlaneStore,
  taken: { sync: number[]; range: number[]; peer: number[]; latency: number[]; lost: number },
): Check[] {
  const checks: Check[] = [
    { what: `${name}: churn loses nothing`, held: taken.lost === 0 },
    {
      what: `${name}: event p99 under 10 ms`,
      held: percentile(taken.latency, 0.99) < 10,
    },
  ];
  if (taken.peer.length === 0) return checks;
  const first = figure(taken.sync).median;
  const ratio = figure(taken.range).median / figure(taken.peer).median;
  return [
    ...checks,
    { what: `${name}: first pass under 1 s (${round(first)} ms)`, held: first < 1000 },
    {
      what: `${name}: range and watch no slower than etcd3 (${round(ratio)} of its time)`,
      held: ratio <= 1,
    },
  ];
}

const endpoint = (name: string) =>
  ({
    type: "Endpoint",
    namespace: "bench",
    component: "backend",
    endpoint: name,
    transport: { tcp: "10.0.0.5:41234/694d8a1b2c3d4e5f/generate" },
  }) as const;

async function fill(writer: Discovery, records: number): Promise<void> {
  const names = Array.from({ length: records }, (_, n) => `e${n}`);
  const next = names.values();
  // several at once, each taking the next name
  const register = async (): Promise<void> => {
    for (const name of next) await writer.register(endpoint(name));
  };
  await Promise.all(Array.from({ length: 64 }, register));
}

/** From the call to the Resync that ends the first pass. */
async function firstPass(reader: Discovery): Promise<void> {
  for await (const event of await reader.listAndWatch(everything))
    if (event.type === "Resync") return;
}

/** What etcd3 is measured at: everything read, each value parsed, and a watch behind it. */
async function rangeAndWatch(store: KeyValueStore): Promise<void> {
  const watch = await store.bucket(planeBuckets.Endpoint).watch();
  const { value } = await watch.next();
  const records = new Map<string, unknown>();
  if (value?.type === "Resync")
    for (const [key, text] of value.entries) records.set(key, JSON.parse(text));
  await watch.return?.();
  if (records.size === 0) throw new Error(`the ${store.type} store has no records`);
}

async function timed(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const start = performance.now();
    await work();
    samples.push(performance.now() - start);
  }
  return samples;
}

/** Heap that one watch holds, once it has everything and its reader has let go of the events. */
async function bytesPerRecord(reader: Discovery, records: number): Promise<number> {
  const before = heapUsed();
  const stream = await reader.listAndWatch(everything);
  await untilResync(stream);
  const after = heapUsed();
  await stream.return?.();
  return (after - before) / records;
}

async function untilResync(stream: AsyncIterableIterator<DiscoveryEvent>): Promise<void> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done || value.type === "Resync") return;
  }
}

/** ms from the call of register to the event at another client. */
async function latencies(reader: Discovery, writer: Discovery, count: number): Promise<number[]> {
  const stream = await reader.listAndWatch(everything);
  await untilResync(stream);
  const samples: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    const [instance] = await Promise.all([
      writer.register(endpoint(`latency-${n}`)),
      stream.next().then(() => samples.push(performance.now() - start)),
    ]);
    await Promise.all([writer.unregister(instance), stream.next()]);
  }
  await stream.return?.();
  return samples;
}

/** Registers and unregisters 1,000 records a second; counts what the reader's view lacks in the end. */
async function churned(
  reader: Discovery,
  writer: Discovery,
  { churn }: Scale,
): Promise<{ rate: number; lost: number }> {
  const stream = await reader.listAndWatch({
    type: "ComponentEndpoints",
    namespace: "churn",
    component: "c",
  });
  const view = new Set<string>();
  let seen = 0;
  const reading = (async () => {
    for await (const event of stream) {
      seen += 1;
      if (event.type === "Added") view.add(event.instance.id().key);
      if (event.type === "Removed") view.delete(event.id.key);
      if (event.type === "Added" && event.instance.id().key.includes("/last/")) return;
    }
  })();
  const written = await atRate(1000, churn, async (n) => {
    const spec = { ...endpoint(`e${n % 500}`), namespace: "churn", component: "c" } as const;
    const instance = await writer.register(spec);
    if (n % 3 !== 0) await writer.unregister(instance);
  });
  await writer.register({ ...endpoint("last"), namespace: "churn", component: "c" });
  await reading;
  const truth = await reader.list({ type: "NamespacedEndpoints", namespace: "churn" });
  const missing = truth.filter((instance) => !view.has(instance.id().key)).length;
  const stale = view.size - (truth.length - missing);
  if (seen === 0) throw new Error("the reader saw nothing of the churn");
  return { rate: written, lost: missing + stale };
}

/** Calls `work` so often a second, for so many ms; gives the rate that was reached. */
async function atRate(
  perSecond: number,
  ms: number,
  work: (n: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  const open = new Set<Promise<void>>();
  let n = 0;
  for (let now = 0; now < ms; now = performance.now() - start) {
    for (const due = (now / 1000) * perSecond; n < due && open.size < 256; n++) {
      const call: Promise<void> = work(n).finally(() => open.delete(call));
      open.add(call);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  return n / ((performance.now() - start) / 1000);
}
