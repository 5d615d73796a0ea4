import type { Clock, Duration, Logger, Meter } from "@muster/core";
import type { WiringInput } from "./wiring/wiring.ts";

/** When an endpoint's numbers stop being trusted. */
export interface FreshnessOptions {
  /** Age of the last success at which an endpoint turns stale; default 5 intervals, at least 1 s. */
  readonly staleAfter?: Duration | undefined;
  /** Failed polls in a row after which an endpoint is unreachable; default 5. */
  readonly unreachableAfter?: number | undefined;
}

/** What {@link createRuntime} takes. */
export interface RuntimeOptions extends WiringInput {
  readonly freshness?: FreshnessOptions | undefined;
  /** The pool this fleet serves, for those who label by it. */
  readonly pool?: { readonly name: string; readonly namespace: string } | undefined;
  /** Default: silent. One line per change of state, never one per poll. */
  readonly logger?: Logger | undefined;
  /** Default: measures nothing. */
  readonly metrics?: Meter | undefined;
  readonly clock?: Clock | undefined;
  /** For the first pass of the discoveries; default `30s`. */
  readonly startTimeout?: Duration | undefined;
  /** For everything to stop; default `5s`. */
  readonly stopTimeout?: Duration | undefined;
}
