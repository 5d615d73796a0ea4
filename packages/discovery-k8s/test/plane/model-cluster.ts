import { decodeInstance, encodeInstance, hashPodName } from "@muster/core/plane";
import type { PlaneCluster, SliceEntry } from "./cluster.ts";
import { endpointRecord } from "./records.ts";

/** A worker's object, as it was written. */
interface ModelObject {
  readonly ownerUid: string;
  /** Wire form of its records; undefined while its data is not valid. */
  readonly records: readonly string[] | undefined;
}

/** A cluster, and what it must be, by the rules as they are written down: no code of the plane in it. */
export class ModelCluster {
  readonly #cluster: PlaneCluster;
  /** Uid by name. */
  readonly #pods = new Map<string, string>();
  readonly #slices = new Map<string, readonly SliceEntry[]>();
  readonly #objects = new Map<string, ModelObject>();
  /** Uids that were ever said to be ready; those of slices without uid stand for any of the name. */
  readonly #everReady = new Set<string>();
  /** Uids and name of the pods that wrote a record. */
  readonly #writers = new Map<string, Set<string>>();
  #port = 1;

  constructor(cluster: PlaneCluster) {
    this.#cluster = cluster;
  }

  get pods(): readonly string[] {
    return [...this.#pods.keys()];
  }

  async createPod(name: string): Promise<void> {
    if (this.#pods.has(name)) return;
    this.#pods.set(name, (await this.#cluster.pod(name)).podUid);
  }

  /** With its object: a cluster collects it. */
  async deletePod(name: string): Promise<void> {
    this.#pods.delete(name);
    this.#objects.delete(name);
    await this.#cluster.deletePod(name);
    await this.#cluster.deleteWorker(name);
  }

  /** An entry about the pod that has a name now, or had it before. */
  entry(podName: string, options: Partial<SliceEntry> = {}): SliceEntry {
    return { podName, podUid: this.#pods.get(podName) ?? "gone", ...options };
  }

  async setSlice(name: string, entries: readonly SliceEntry[]): Promise<void> {
    this.#slices.set(name, entries);
    for (const { podName, podUid, ready = true } of entries)
      if (ready === true) this.#everReady.add(podUid ?? podName);
    await this.#cluster.slice(name, entries);
  }

  async deleteSlice(name: string): Promise<void> {
    this.#slices.delete(name);
    await this.#cluster.deleteSlice(name);
  }

  /** Writes valid data: these endpoints, each with a value that nothing else has. */
  async write(podName: string, names: readonly string[]): Promise<void> {
    const podUid = this.#pods.get(podName);
    if (podUid === undefined) return;
    const endpoints = names.map((name) => {
      this.#port += 1;
      return endpointRecord(podName, { name, tcp: `10.0.0.1:${this.#port}` });
    });
    const model = {
      type: "Model",
      ...{ namespace: "dynamo", component: "backend", endpoint: "generate" },
      instance_id: Number(hashPodName(podName)),
      card_json: { display_name: podName },
    };
    const records = [...endpoints, ...(names.length > 1 ? [model] : [])].map((record) =>
      encodeInstance(decodeInstance(JSON.stringify(record))),
    );
    for (const wire of records)
      this.#writers.set(wire, (this.#writers.get(wire) ?? new Set()).add(podUid).add(podName));
    this.#objects.set(podName, { ownerUid: podUid, records });
    const keyed = endpoints.map((record, index) => [`key-${index}`, record]);
    await this.#cluster.putWorker(this.#identity(podName, podUid), {
      data: {
        endpoints: Object.fromEntries(keyed),
        model_cards: names.length > 1 ? { m: model } : null,
      },
    });
  }

  /** Writes data that is not valid. */
  async spoil(podName: string): Promise<void> {
    const podUid = this.#pods.get(podName);
    if (podUid === undefined) return;
    this.#objects.set(podName, { ownerUid: podUid, records: undefined });
    const identity = this.#identity(podName, podUid);
    await this.#cluster.putWorker(identity, { data: { endpoints: "spoiled" } });
  }

  async deleteObject(podName: string): Promise<void> {
    this.#objects.delete(podName);
    await this.#cluster.deleteWorker(podName);
  }

  /** What data that is not valid counts for depends on what was seen before: makes all valid. */
  async repair(): Promise<void> {
    for (const [name, { records }] of [...this.#objects])
      if (records === undefined) await this.write(name, ["repaired"]);
  }

  /** Wire form of what is published now, sorted. */
  published(): string[] {
    return [...this.#objects]
      .filter(([name, object]) => this.#isReady(name, object))
      .flatMap(([, { records = [] }]) => records)
      .sort();
  }

  /** Fails unless somebody who was ready once, perhaps not at that time, wrote a record. */
  verifyShown(wire: string): void {
    const writers = this.#writers.get(wire);
    if (writers === undefined) throw new Error(`nobody ever wrote ${wire}`);
    const ready = [...writers].some((writer) => this.#everReady.has(writer));
    if (!ready) throw new Error(`the writer of ${wire} was never ready`);
  }

  #isReady(name: string, { ownerUid }: ModelObject): boolean {
    const entries = [...this.#slices.values()].flat();
    const said = entries.filter(({ podName, ready = true }) => podName === name && ready === true);
    return said.length > 0 && said.every(({ podUid = ownerUid }) => podUid === ownerUid);
  }

  #identity(podName: string, podUid: string) {
    return { podName, podUid, namespace: this.#cluster.namespace };
  }
}
