/** A random identity for a client: 64 bits, never 0. */
export function randomId(): bigint {
  const [id = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return id === 0n ? 1n : id;
}
