import {
  classifyDiscoveryChange,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryMetadata,
  hashPodName,
} from "@muster/core/plane";
import { type KubeObject, objectKey } from "../reflector/kube-object.ts";
import type { MetadataTable, WorkerRecord } from "./metadata-table.ts";
import type { ReadinessSource } from "./ready-entries.ts";
import { ReadyTable } from "./ready-table.ts";

/** What a change in the cluster changes for readers; removals come first. */
export interface PublishedChange {
  readonly removed: readonly DiscoveryInstanceId[];
  readonly put: readonly DiscoveryInstance[];
}

/** A record, and the worker's object that it is from. */
interface Holding {
  readonly name: string;
  readonly worker: WorkerRecord;
  readonly instance: DiscoveryInstance;
}

/**
 * The join of workers' objects with who is ready: the records of a worker are published while it is
 * ready and has an object that belongs to the pod that is ready.
 */
export class PublishedRecords {
  readonly #workers: MetadataTable;
  readonly #source: ReadinessSource;
  readonly #ready = new ReadyTable();
  /** What of each worker is published. */
  readonly #published = new Map<string, WorkerRecord>();
  /** By id, then by worker: nothing keeps two workers from having a record of one id. */
  readonly #holdings = new Map<string, Map<string, Holding>>();

  constructor(workers: MetadataTable, source: ReadinessSource) {
    this.#workers = workers;
    this.#source = source;
  }

  /** An object of readiness is there, or is gone. */
  setReadiness(object: KubeObject, isThere: boolean): PublishedChange {
    const entries = isThere ? this.#source.entriesOf(object) : [];
    return this.#refresh(this.#ready.set(objectKey(object), entries));
  }

  /** A worker's object is there, or is gone. */
  setWorker(object: KubeObject, isThere: boolean): PublishedChange {
    const { name } = object.metadata;
    if (isThere) this.#workers.set(object);
    else this.#workers.delete(name);
    return this.#refresh([name]);
  }

  /** Everything that is published. */
  all(): DiscoveryInstance[] {
    return [...this.#holdings.keys()].flatMap((id) => this.#shown(id)?.instance ?? []);
  }

  #refresh(names: Iterable<string>): PublishedChange {
    const before = new Map<string, Holding | undefined>();
    for (const name of names) this.#publish(name, before);
    const removed: DiscoveryInstanceId[] = [];
    const put: DiscoveryInstance[] = [];
    for (const [id, old] of before) {
      const now = this.#shown(id);
      const isGone = old !== undefined && (now === undefined || isAnother(old, now));
      if (isGone) removed.push(old.instance.id());
      if (now !== undefined) put.push(now.instance);
    }
    return { removed, put };
  }

  /** Publishes what is to be of one worker; `before` gets what was shown of each id that is touched. */
  #publish(name: string, before: Map<string, Holding | undefined>): void {
    const worker = this.#workers.get(name);
    const isPublished = worker !== undefined && this.#ready.isReady(name, worker.ownerUid);
    const old = this.#published.get(name);
    const now = isPublished ? worker : undefined;
    if (old?.metadata === now?.metadata && old?.uid === now?.uid) return;
    const touch = ({ instance }: Holding): string => {
      const { key } = instance.id();
      if (!before.has(key)) before.set(key, this.#shown(key));
      return key;
    };
    for (const holding of holdingsOf(name, old)) this.#drop(touch(holding), name);
    for (const holding of holdingsOf(name, now)) this.#hold(touch(holding), holding);
    if (now === undefined) this.#published.delete(name);
    else this.#published.set(name, now);
  }

  #hold(id: string, holding: Holding): void {
    const holdings = this.#holdings.get(id);
    if (holdings === undefined) this.#holdings.set(id, new Map([[holding.name, holding]]));
    else holdings.set(holding.name, holding);
  }

  #drop(id: string, name: string): void {
    const holdings = this.#holdings.get(id);
    holdings?.delete(name);
    if (holdings?.size === 0) this.#holdings.delete(id);
  }

  /** The record that counts for an id: that of the worker whose id it has, else of the first by name. */
  #shown(id: string): Holding | undefined {
    const holdings = [...(this.#holdings.get(id)?.values() ?? [])];
    if (holdings.length < 2) return holdings[0];
    const rightful = holdings.find(
      ({ name, instance }) => instance.instanceId === hashPodName(name),
    );
    return rightful ?? holdings.reduce((a, b) => (a.name < b.name ? a : b));
  }
}

function holdingsOf(name: string, worker: WorkerRecord | undefined): Holding[] {
  if (worker?.metadata === undefined) return [];
  return recordsOf(worker.metadata).map((instance) => ({ name, worker, instance }));
}

/** All records of a worker. */
export function recordsOf(metadata: DiscoveryMetadata): DiscoveryInstance[] {
  const { endpoints, modelCards, eventChannels, eventSources } = metadata;
  return [endpoints, modelCards, eventChannels, eventSources].flatMap((map) => [...map.values()]);
}

/**
 * Whether a record that may not change in place is another one now, and not the old one changed: of
 * another object, or seen after more than one change, so that it can have been taken away in between.
 */
function isAnother(old: Holding, now: Holding): boolean {
  const { type } = classifyDiscoveryChange(old.instance, now.instance);
  if (type !== "Rejected" && type !== "Ignored") return false;
  const [from, to] = [old.worker.generation, now.worker.generation];
  const inPlace =
    old.name === now.name &&
    old.worker.uid === now.worker.uid &&
    from !== undefined &&
    to !== undefined &&
    to - from === 1;
  return !inPlace;
}
