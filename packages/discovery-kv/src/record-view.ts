import { toMusterError } from "@muster/core";
import {
  classifyDiscoveryChange,
  type DiscoveryFeed,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryKind,
  decodeRecord,
  idFromKey,
  planeBuckets,
} from "@muster/core/plane";
import type { SkippedRecords } from "./skipped-records.ts";

interface StoredRecord {
  readonly value: string;
  readonly instance: DiscoveryInstance;
}

/**
 * The records of one bucket as its keys and values tell. Several keys can stand for one id, since the
 * id in a key may be spelled with upper case or leading zeros: the one in canonical spelling counts,
 * else the first, so that a record is gone when the last key of it is.
 */
export class RecordView {
  readonly #type: DiscoveryKind;
  readonly #skipped: SkippedRecords;
  #records = new Map<string, StoredRecord>();
  /** Keys in another spelling, by the canonical one. */
  #spellings = new Map<string, Set<string>>();

  constructor(type: DiscoveryKind, skipped: SkippedRecords) {
    this.#type = type;
    this.#skipped = skipped;
  }

  /** A key has a value; one that cannot be read leaves the record as it is. */
  put(key: string, value: string, feed: DiscoveryFeed): void {
    const record = this.#read(key, value);
    if (record === undefined || record === this.#records.get(key)) return;
    const path = record.instance.id().toPath();
    const shown = this.#shown(path);
    const before = this.#records.get(key);
    this.#add(this.#records, key, record);
    if (this.#shown(path) !== record) return;
    // the same key with another value is for the stream to judge
    if (shown === undefined || shown === before) feed.put(record.instance);
    else supersede(feed, shown.instance, record.instance);
  }

  /** A key is gone. Its record was perhaps never seen here: the key tells which it is. */
  delete(key: string, feed: DiscoveryFeed): void {
    this.#skipped.gone(planeBuckets[this.#type], key);
    const record = this.#records.get(key);
    const id = record?.instance.id() ?? this.#idOf(key);
    if (id === undefined) return;
    const path = id.toPath();
    const shown = this.#shown(path);
    this.#records.delete(key);
    this.#forgetSpelling(path, key);
    const left = this.#shown(path);
    if (left === undefined) feed.remove(id);
    else if (shown !== undefined && shown !== left) supersede(feed, shown.instance, left.instance);
  }

  /** Everything there is. A value that cannot be read leaves a record that is known as it is. */
  replace(entries: ReadonlyMap<string, string>): DiscoveryInstance[] {
    const records = new Map<string, StoredRecord>();
    this.#spellings = new Map();
    for (const [key, value] of entries) {
      const record = this.#read(key, value) ?? this.#records.get(key);
      if (record !== undefined) this.#add(records, key, record);
    }
    this.#records = records;
    const shown: DiscoveryInstance[] = [];
    if (this.#spellings.size === 0)
      for (const { instance } of records.values()) shown.push(instance);
    else
      for (const record of records.values())
        if (this.#shown(record.instance.id().toPath()) === record) shown.push(record.instance);
    return shown;
  }

  #read(key: string, value: string): StoredRecord | undefined {
    const known = this.#records.get(key);
    const bucket = planeBuckets[this.#type];
    try {
      const record =
        known?.value === value ? known : { value, instance: decodeRecord(this.#type, key, value) };
      this.#skipped.readable(bucket, key);
      return record;
    } catch (error) {
      this.#skipped.report(bucket, key, toMusterError(error, "PLANE_RECORD"));
      return undefined;
    }
  }

  #idOf(key: string): DiscoveryInstanceId | undefined {
    try {
      return idFromKey(this.#type, key);
    } catch (error) {
      this.#skipped.report(planeBuckets[this.#type], key, toMusterError(error, "PLANE_PATH"));
      return undefined;
    }
  }

  #add(records: Map<string, StoredRecord>, key: string, record: StoredRecord): void {
    records.set(key, record);
    const path = record.instance.id().toPath();
    if (path === key) return;
    const keys = this.#spellings.get(path);
    if (keys === undefined) this.#spellings.set(path, new Set([key]));
    else keys.add(key);
  }

  #forgetSpelling(path: string, key: string): void {
    const keys = this.#spellings.get(path);
    if (keys?.delete(key) === true && keys.size === 0) this.#spellings.delete(path);
  }

  /** The record that counts for an id. */
  #shown(path: string): StoredRecord | undefined {
    const record = this.#records.get(path);
    if (record !== undefined) return record;
    const [first] = this.#spellings.get(path) ?? [];
    return first === undefined ? undefined : this.#records.get(first);
  }
}

/** Another key of the same id counts from now on, so what may not change in place is another record. */
function supersede(feed: DiscoveryFeed, before: DiscoveryInstance, after: DiscoveryInstance): void {
  const { type } = classifyDiscoveryChange(before, after);
  if (type === "Rejected" || type === "Ignored") feed.remove(before.id());
  feed.put(after);
}
