import { MusterError } from "@muster/core";
import {
  type DiscoveryInstance,
  type DiscoveryKind,
  decodeInstance,
  idFromKey,
} from "@muster/core/plane";

/**
 * Reads what is stored under a key.
 *
 * @throws MusterError PLANE_PATH, PLANE_JSON, PLANE_RECORD_TYPE, and PLANE_RECORD, also for a record
 * that says it is another one than its key
 */
export function readRecord(type: DiscoveryKind, key: string, value: string): DiscoveryInstance {
  const id = idFromKey(type, key);
  const instance = decodeInstance(value);
  const own = instance.id();
  if (!own.equals(id))
    throw new MusterError(
      "PLANE_RECORD",
      `the record is of ${own.key}, but it is stored under the key of ${id.key}`,
    );
  return instance;
}
