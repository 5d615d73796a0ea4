import { type MusterError, toMusterError } from "@muster/core";
import {
  type Discovery,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  decodeRecord,
  type KeyValueStore,
  planeBuckets,
  queryRange,
} from "@muster/core/plane";
import { isMeant, type KindName, queryOf, type RecordFilter, recordKinds } from "./kinds.ts";

/** A record and where it lies. */
export interface StoredRecord {
  readonly kind: KindName;
  /** With its bucket: `v1/instances/dynamo/backend/generate/694d8a1b2c3d4e5f`. */
  readonly key: string;
  readonly instance: DiscoveryInstance;
}

/** What lies in a store, by key. */
export interface StoredRecords {
  readonly records: readonly StoredRecord[];
  /** Keys whose value cannot be read, with the reason. */
  readonly unreadable: ReadonlyMap<string, MusterError>;
}

/** What to read. */
export interface ReadOptions {
  readonly kinds: readonly KindName[];
  readonly filter: RecordFilter;
  readonly signal: AbortSignal;
}

/**
 * Reads records with their keys, and says which cannot be read: the plane's own `list` leaves those out.
 *
 * @throws MusterError STORE_….
 */
export async function readRecords(
  store: KeyValueStore,
  { kinds, filter, signal }: ReadOptions,
): Promise<StoredRecords> {
  const records: StoredRecord[] = [];
  const unreadable = new Map<string, MusterError>();
  for (const kind of kinds) {
    const { bucket, prefix } = queryRange(queryOf(kind, filter));
    const entries = await store.bucket(bucket).entries({ prefix, signal });
    for (const [relative, value] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const key = `${bucket}/${relative}`;
      try {
        const instance = decodeRecord(recordKinds[kind], relative, value);
        if (isMeant(instance, filter)) records.push({ kind, key, instance });
      } catch (error) {
        unreadable.set(key, toMusterError(error, "PLANE_RECORD"));
      }
    }
  }
  return { records, unreadable };
}

/**
 * Reads records of a plane that has no store: those that cannot be read are told by its log.
 *
 * @throws MusterError KUBE_….
 */
export async function listRecords(
  discovery: Discovery,
  { kinds, filter, signal }: ReadOptions,
): Promise<StoredRecords> {
  const records: StoredRecord[] = [];
  for (const kind of kinds)
    for (const instance of await discovery.list(queryOf(kind, filter), { signal }))
      if (isMeant(instance, filter)) records.push({ kind, key: keyOf(instance.id()), instance });
  records.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { records, unreadable: new Map() };
}

/** The key of a record, with its bucket, from its id. */
export function keyOf(id: DiscoveryInstanceId): string {
  return `${planeBuckets[id.type]}/${id.toPath()}`;
}

/** Splits a key with its bucket, or gives undefined when it lies in none of the plane's buckets. */
export function splitKey(key: string): { bucket: string; relative: string } | undefined {
  const bucket = Object.values(planeBuckets).find((name) => key.startsWith(`${name}/`));
  if (bucket === undefined) return undefined;
  const relative = key.slice(bucket.length + 1);
  return relative === "" ? undefined : { bucket, relative };
}
