import process from "node:process";

/** The seeds of a test; `MUSTER_FAULT_SEEDS=7,8` tries others instead. */
export function seeds(...usual: number[]): number[] {
  const given = process.env.MUSTER_FAULT_SEEDS;
  return given ? given.split(",").map(Number) : usual;
}

/** Random numbers that a seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True once in so many times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Each of them or not. */
  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.oneIn(2));
  }
}
