import type { AttributeKey, PluginContext, PollInput, TypedName } from "@muster/core";
import {
  engineOf,
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import { chooseReading, type EngineSet } from "./choose-engine.ts";
import { familiesOf } from "./compile.ts";
import type { CheckedConfig } from "./config.ts";
import { EndpointMemory } from "./endpoint-memory.ts";
import { createEngineSet } from "./engine-set.ts";
import { explainReading, type PageExplanation } from "./explain.ts";
import { Reports } from "./reports.ts";

/** Options of {@link CoreMetricsExtractor.explain}. */
export interface ExplainOptions {
  /** What an endpoint's engine label would say; default: no label. */
  readonly engine?: string | undefined;
}

/** The core metrics extractor. */
export interface CoreMetricsExtractor extends PrometheusExtractor {
  /**
   * Reads one page without an endpoint, and says what is missing. Nothing is remembered.
   *
   * @throws MusterError EXTRACT_NO_ENGINE when the page has no metric of a known engine.
   */
  explain(page: PrometheusPage, options?: ExplainOptions): PageExplanation;
}

/** Makes the extractor from checked configuration. */
export function createCoreMetricsExtractor(
  config: CheckedConfig,
  context: PluginContext & { readonly typedName: TypedName },
): CoreMetricsExtractor {
  return new Extractor(config, context);
}

class Extractor implements CoreMetricsExtractor {
  readonly typedName: TypedName;
  readonly variant = "polling";
  readonly payload = prometheusPage;
  readonly provides = "freshness";
  readonly families: readonly string[];
  readonly produces: readonly AttributeKey<unknown>[];
  readonly #engines: EngineSet;
  readonly #labelKey: string;
  readonly #reports: Reports;
  readonly #memories = new Map<string, EndpointMemory>();

  constructor(config: CheckedConfig, context: PluginContext & { readonly typedName: TypedName }) {
    this.typedName = context.typedName;
    this.#engines = createEngineSet(config);
    this.#labelKey = config.engineLabelKey;
    this.#reports = new Reports(context);
    const engines = [...this.#engines.byName.values()];
    this.families = familiesOf(engines);
    this.produces = engines.flatMap((engine) => engine.custom.map((custom) => custom.key));
  }

  extract({ payload, endpoint }: PollInput<PrometheusPage>): void {
    const label = engineOf(endpoint.metadata.labels, this.#labelKey);
    const memory = this.#memories.get(endpoint.id) ?? new EndpointMemory();
    const { reading, labelUnusable } = chooseReading(this.#engines, payload, {
      label,
      last: memory.engine,
    });
    this.#memories.set(endpoint.id, memory);
    const badLabel = labelUnusable ? label : undefined;
    if (badLabel !== undefined && badLabel !== memory.badLabel)
      this.#reports.labelUnusable(endpoint.id, badLabel, reading.engine.name);
    memory.badLabel = badLabel;
    memory.apply(endpoint, reading, this.#reports);
  }

  explain(page: PrometheusPage, options: ExplainOptions = {}): PageExplanation {
    const hints = { label: options.engine, last: undefined };
    return explainReading(chooseReading(this.#engines, page, hints).reading);
  }

  release(endpointId: string): void {
    this.#memories.delete(endpointId);
  }
}
