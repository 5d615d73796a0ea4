import type { MetricFamily, PrometheusPage } from "@muster/core/prometheus";
import type { CompiledSelection, FamilyMap } from "./family-selection.ts";

/** What a {@link ParsedPage} is made of. */
export interface ParsedPageInit {
  readonly format: PrometheusPage["format"];
  readonly selection: CompiledSelection;
  readonly families: FamilyMap;
  readonly skipped: number;
}

/** A page after parsing. */
export class ParsedPage implements PrometheusPage {
  readonly format: PrometheusPage["format"];
  readonly skipped: number;
  readonly #selection: CompiledSelection;
  readonly #families: FamilyMap;

  constructor(init: ParsedPageInit) {
    this.format = init.format;
    this.skipped = init.skipped;
    this.#selection = init.selection;
    this.#families = init.families;
  }

  family(name: string): MetricFamily | undefined {
    return this.#selection.find(this.#families, name);
  }

  families(): Iterable<MetricFamily> {
    return this.#families.values();
  }
}
