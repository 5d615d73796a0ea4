import { formatPlain, MusterError } from "@muster/core";
import { underPrefix } from "../store-key.ts";
import { toWire } from "./wire.ts";

/** Keys of a bucket under a prefix, as a range of etcd's. */
export interface KeyRange {
  /** First key and the first one beyond, in base64. */
  readonly key: string;
  readonly range_end: string;
  /**
   * A whole key as it is called within the bucket.
   *
   * @throws MusterError STORE_RESPONSE for one of elsewhere, which was not asked for
   */
  relative(key: string): string;
  /**
   * Whether a key of the range is meant: etcd's ranges know no paths, so `a/b` comes with `a/b-c`, which
   * sorts between `a/b` and `a/b/c`.
   */
  includes(relativeKey: string): boolean;
}

/** The keys of `bucket` that are `prefix` or below it; all of them without. */
export function keyRange(bucket: string, prefix?: string): KeyRange {
  const path = prefix?.endsWith("/") ? prefix.slice(0, -1) : prefix;
  const [start, end] =
    path === undefined || path === ""
      ? [`${bucket}/`, `${bucket}0`]
      : [`${bucket}/${path}`, `${bucket}/${path}0`];
  const inBucket = `${bucket}/`;
  return {
    key: toWire(start),
    // "0" is what follows "/"
    range_end: toWire(end),
    relative(key) {
      if (key.startsWith(inBucket)) return key.slice(inBucket.length);
      const message = `etcd gives the key ${formatPlain(key)}, which is not in ${bucket}`;
      throw new MusterError("STORE_RESPONSE", message);
    },
    includes: underPrefix(prefix),
  };
}
