import type { Freshness, FreshnessState } from "@muster/core";

/** Freshness of one endpoint; `now` is monotonic time, ms. */
export interface EndpointFreshness {
  /** The aggregate state alone: allocates nothing. */
  state(now: number): FreshnessState;
  aggregate(now: number): Freshness;
  sources(now: number): ReadonlyMap<string, Freshness>;
}

const neverPolled: Freshness = Object.freeze({
  state: "unpolled",
  lastSuccess: undefined,
  lastFailure: undefined,
  errorCode: undefined,
  failures: 0,
});

/** Of an endpoint that nothing polls. */
export const unpolled: EndpointFreshness = Object.freeze({
  state: (): FreshnessState => "unpolled",
  aggregate: (): Freshness => neverPolled,
  sources: (): ReadonlyMap<string, Freshness> => new Map(),
});
