const mask64 = 0xffff_ffff_ffff_ffffn;
/** Ids made from names stay exact as JSON numbers (ai-dynamo/dynamo#5471). */
const mask53 = 0x1f_ffff_ffff_ffffn;

type State = [v0: bigint, v1: bigint, v2: bigint, v3: bigint];

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & mask64;
}

function round(state: State): void {
  let [v0, v1, v2, v3] = state;
  v0 = (v0 + v1) & mask64;
  v1 = rotate(v1, 13n) ^ v0;
  v0 = rotate(v0, 32n);
  v2 = (v2 + v3) & mask64;
  v3 = rotate(v3, 16n) ^ v2;
  v0 = (v0 + v3) & mask64;
  v3 = rotate(v3, 21n) ^ v0;
  v2 = (v2 + v1) & mask64;
  v1 = rotate(v1, 17n) ^ v2;
  v2 = rotate(v2, 32n);
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}

/**
 * The instance id of a pod (or container, by the name of its record) on Kubernetes: SipHash-1-3 with
 * zero keys over the name's UTF-8 bytes and one 0xFF, as Rust hashes a `str`, cut to 53 bits.
 */
export function hashPodName(name: string): bigint {
  const bytes = [...new TextEncoder().encode(name), 0xff];
  const length = BigInt(bytes.length & 0xff);
  while (bytes.length % 8 !== 7) bytes.push(0);
  const state: State = [
    0x736f6d6570736575n,
    0x646f72616e646f6dn,
    0x6c7967656e657261n,
    0x7465646279746573n,
  ];
  for (let at = 0; at < bytes.length; at += 8) {
    let word = at + 8 > bytes.length ? length << 56n : 0n;
    for (let index = 0; index < 8; index++)
      word |= BigInt(bytes[at + index] ?? 0) << BigInt(8 * index);
    state[3] ^= word;
    round(state);
    state[0] ^= word;
  }
  state[2] ^= 0xffn;
  for (let index = 0; index < 3; index++) round(state);
  return (state[0] ^ state[1] ^ state[2] ^ state[3]) & mask53;
}
