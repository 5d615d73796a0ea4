import type { Freshness, FreshnessState } from "@muster/core";
import type { EndpointFreshness } from "./endpoint-freshness.ts";
import type { SourceFreshness } from "./source-freshness.ts";

/** Best first: how far the numbers can be trusted. */
const ranks: Readonly<Record<FreshnessState, number>> = Object.freeze({
  fresh: 0,
  stale: 1,
  pending: 2,
  unreachable: 3,
  unpolled: 4,
});

/** The freshness of one endpoint by one named source. */
export interface NamedFreshness {
  /** `type/name`. */
  readonly source: string;
  readonly freshness: SourceFreshness;
  /** Whether the source has a say in the aggregate. */
  readonly counts: boolean;
}

/**
 * Freshness of a polled endpoint. The aggregate is that of the best source among those that count,
 * in the order fresh, stale, pending, unreachable; of equals the one with the latest success. Sources
 * with an extractor that provides freshness count; when none has one, all do.
 */
export class PolledFreshness implements EndpointFreshness {
  readonly #sources: readonly NamedFreshness[];
  readonly #first: SourceFreshness;
  readonly #others: readonly SourceFreshness[];

  /** Takes at least one source that counts. */
  constructor(sources: readonly NamedFreshness[]) {
    const [first, ...others] = sources.filter(({ counts }) => counts).map((it) => it.freshness);
    if (first === undefined) throw new RangeError("no source counts");
    this.#sources = sources;
    this.#first = first;
    this.#others = others;
  }

  state(now: number): FreshnessState {
    return this.#best(now).state(now);
  }

  aggregate(now: number): Freshness {
    return this.#best(now).read(now);
  }

  sources(now: number): ReadonlyMap<string, Freshness> {
    return new Map(this.#sources.map(({ source, freshness }) => [source, freshness.read(now)]));
  }

  #best(now: number): SourceFreshness {
    let best = this.#first;
    for (const other of this.#others) {
      const difference = ranks[other.state(now)] - ranks[best.state(now)];
      const later = (other.lastSuccess ?? 0) > (best.lastSuccess ?? 0);
      if (difference < 0 || (difference === 0 && later)) best = other;
    }
    return best;
  }
}
