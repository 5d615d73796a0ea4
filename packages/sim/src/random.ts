/** A seeded source of random numbers: the same seed gives the same sequence on every runtime. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number, both ends included. */
  integer(min: number, max: number): number;
  /** Exponentially distributed with this mean. */
  exponential(mean: number): number;
  /** One of the items, which must not be empty. */
  pick<T>(items: readonly T[]): T;
}

/** Makes a generator (mulberry32, a public-domain 32-bit generator); only the seed's low 32 bits count. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    exponential: (mean) => -mean * Math.log(1 - next()),
    pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  };
}

/** A seed for part number `index` of something seeded with `seed`, far from its neighbours'. */
export function deriveSeed(seed: number, index: number): number {
  return Math.imul((seed >>> 0) ^ 0x9e3779b9, (index + 1) * 0x85ebca6b + 1) >>> 0;
}
