/** A random id for a lease: etcd's are positive numbers of 63 bits. */
export function randomLeaseId(): bigint {
  const [random = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  const id = BigInt.asUintN(63, random);
  return id === 0n ? 1n : id;
}
