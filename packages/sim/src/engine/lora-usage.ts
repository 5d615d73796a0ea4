/** How many combinations are kept; the real page keeps all it ever had. */
const maxCombinations = 256;

/** One series of the LoRA family: a combination of adapters, and when it was last seen. */
export interface LoraCombination {
  /** Names in order, joined by commas. */
  readonly running: string;
  readonly waiting: string;
  /** Wall clock, ms since the epoch. */
  readonly seenAt: number;
}

/**
 * The combinations of running and waiting adapters seen so far, as vLLM keeps them: one series each,
 * its value the time it was last seen. There are none until a request named an adapter.
 */
export class LoraUsage {
  readonly #combinations = new Map<string, LoraCombination>();
  #used = false;
  /** Grows with every change. */
  revision = 0;

  get used(): boolean {
    return this.#used;
  }

  /** From the first request for an adapter on. */
  markUsed(): void {
    this.#used = true;
  }

  record(running: Iterable<string>, waiting: Iterable<string>, now: number): void {
    if (!this.#used) return;
    const combination = { running: joined(running), waiting: joined(waiting), seenAt: now };
    const key = `${combination.running}|${combination.waiting}`;
    this.#combinations.set(key, combination);
    this.revision++;
    if (this.#combinations.size > maxCombinations) this.#dropOldest();
  }

  list(): Iterable<LoraCombination> {
    return this.#combinations.values();
  }

  #dropOldest(): void {
    let oldest: [string, LoraCombination] | undefined;
    for (const entry of this.#combinations)
      if (oldest === undefined || entry[1].seenAt < oldest[1].seenAt) oldest = entry;
    if (oldest !== undefined) this.#combinations.delete(oldest[0]);
  }
}

function joined(names: Iterable<string>): string {
  return [...names].sort().join(",");
}
