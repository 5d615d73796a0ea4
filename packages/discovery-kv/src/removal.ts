import { isMusterError } from "@muster/core";
import {
  type Bucket,
  type DiscoveryInstanceId,
  idFromKey,
  type KeyValueStore,
  planeBuckets,
  type WaitOptions,
} from "@muster/core/plane";
import { writtenThrough } from "./written-keys.ts";

/** Removes a record, whoever wrote it and however its key is spelled; see `Discovery.unregister`. */
export async function removeRecord(
  store: KeyValueStore,
  id: DiscoveryInstanceId,
  options: WaitOptions,
): Promise<void> {
  const bucket = store.bucket(planeBuckets[id.type]);
  const removed = await bucket.delete(id.toPath(), options);
  // the next one under its key is a new one
  writtenThrough(store).delete(id.key);
  if (removed) return;
  for (const key of await otherSpellings(bucket, id, options)) await bucket.delete(key, options);
}

async function otherSpellings(
  bucket: Bucket,
  id: DiscoveryInstanceId,
  { signal }: WaitOptions,
): Promise<string[]> {
  const { type } = id;
  const isBelow = type === "Endpoint" || type === "Model";
  const prefix = isBelow ? `${id.namespace}/${id.component}/${id.endpoint}` : "";
  const entries = await bucket.entries({ prefix, signal });
  return [...entries.keys()].filter((key) => isKeyOf(id, key));
}

function isKeyOf(id: DiscoveryInstanceId, key: string): boolean {
  try {
    return idFromKey(id.type, key).equals(id);
  } catch (error) {
    // a key that is nobody's
    if (isMusterError(error)) return false;
    throw error;
  }
}
