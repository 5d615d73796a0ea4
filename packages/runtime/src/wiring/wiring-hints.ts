import { formatTypedName } from "@muster/core";
import type { PlannedSource } from "./plan.ts";

/** What is allowed and yet hardly meant: one line each. */
export function wiringHints(sources: readonly PlannedSource[]): string[] {
  const hints = sources
    .filter(({ extractors }) => extractors.length === 0)
    .map(({ source }) => `source ${formatTypedName(source.typedName)} has no extractors`);
  const polling = sources.filter(({ source }) => source.variant === "polling");
  const polled = polling.flatMap(({ extractors }) => extractors);
  const fresh = polled.some(
    ({ extractor }) => extractor.variant === "polling" && extractor.provides === "freshness",
  );
  if (polled.length > 0 && !fresh)
    hints.push("no extractor provides freshness: any poll that succeeds makes an endpoint fresh");
  return hints;
}
