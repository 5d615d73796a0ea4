import { type MusterError, toMusterError } from "@muster/core";
import type { Wiring } from "./wiring.ts";

/**
 * Appends the extractors of a wiring without problems to its polling sources; those already there
 * stay as they are. Gives what a source refused all the same: then the runtime must not start.
 */
export function applyWiring(wiring: Wiring): MusterError[] {
  const refused: MusterError[] = [];
  for (const { source, extractors } of wiring.sources) {
    if (source.variant !== "polling") continue;
    for (const { extractor } of extractors) {
      if (extractor.variant !== "polling" || source.extractors.includes(extractor)) continue;
      try {
        source.appendExtractor(extractor);
      } catch (error) {
        const plugin = extractor.typedName;
        refused.push(toMusterError(error, "EXTRACTOR_INCOMPATIBLE", { plugin }));
      }
    }
  }
  return refused;
}
