import { formatPlain, MusterError } from "@muster/core";
import { isU64 } from "@muster/core/plane";

/** A random identity for a client: 64 bits, never 0. */
export function randomId(): bigint {
  const [id = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return id === 0n ? 1n : id;
}

/**
 * Fails unless an identity that a program gives is one.
 *
 * @throws MusterError STORE_CONFIG
 */
export function checkConnectionId(store: string, id: bigint): void {
  if (isU64(id)) return;
  throw new MusterError(
    "STORE_CONFIG",
    `${store}: connectionId must be a bigint from 0 to 2^64-1, not ${formatPlain(id)}`,
    { path: "connectionId" },
  );
}
