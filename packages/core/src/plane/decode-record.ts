import { MusterError } from "../errors.ts";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { type DiscoveryKind, idFromKey } from "./plane-keys.ts";

/**
 * Reads what is stored under a key below its bucket. A record has to be what its key says: whoever
 * sees it removed has only the key.
 *
 * @throws MusterError PLANE_PATH, PLANE_JSON, PLANE_RECORD_TYPE, and PLANE_RECORD, also for a record
 * that says it is another one than its key
 */
export function decodeRecord(type: DiscoveryKind, key: string, value: string): DiscoveryInstance {
  const id = idFromKey(type, key);
  const instance = decodeInstance(value);
  const own = instance.id();
  if (own.equals(id)) return instance;
  throw new MusterError(
    "PLANE_RECORD",
    `the record is of ${own.key}, but it is stored under the key of ${id.key}`,
  );
}
