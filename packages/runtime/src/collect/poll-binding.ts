import { formatTypedName, type PollingSource, type TypedName } from "@muster/core";
import { AgeQueue } from "../freshness/age-queue.ts";
import type { Thresholds } from "../freshness/source-freshness.ts";
import type { ResolvedThresholds } from "../freshness/thresholds.ts";
import type { WiredSource } from "../wiring/wiring.ts";
import type { TrackedFreshness } from "./tracked-freshness.ts";

/** A polling source as the collectors see it, the same for all endpoints. */
export interface PollBinding {
  readonly source: PollingSource<unknown>;
  /** `type/name`. */
  readonly name: string;
  readonly labels: { readonly source_type: string };
  /** ms. */
  readonly interval: number;
  readonly thresholds: Thresholds;
  /** Extractors that provide freshness. */
  readonly providers: readonly TypedName[];
  /** Whether it has a say in the aggregate freshness. */
  readonly counts: boolean;
  readonly ages: AgeQueue<TrackedFreshness>;
  /** Endpoints ever added: the place of the next one in the interval. */
  added: number;
}

/** The polling sources of a wiring. */
export function createPollBindings(
  sources: readonly WiredSource[],
  thresholds: ResolvedThresholds,
  defaultInterval: number,
): readonly PollBinding[] {
  const polling = sources.flatMap(({ source, interval, extractors }) =>
    source.variant === "polling"
      ? [{ source, interval: interval ?? defaultInterval, providers: providersOf(extractors) }]
      : [],
  );
  const anyProvider = polling.some(({ providers }) => providers.length > 0);
  return polling.map(({ source, interval, providers }) => ({
    source,
    name: formatTypedName(source.typedName),
    labels: { source_type: source.typedName.type },
    interval,
    thresholds: thresholds.of(interval),
    providers,
    counts: !anyProvider || providers.length > 0,
    ages: new AgeQueue(),
    added: 0,
  }));
}

function providersOf(extractors: WiredSource["extractors"]): readonly TypedName[] {
  return extractors
    .filter(
      ({ extractor }) => extractor.variant === "polling" && extractor.provides === "freshness",
    )
    .map(({ extractor }) => extractor.typedName);
}
