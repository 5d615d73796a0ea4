import type { Counter, Logger, PluginContext } from "@muster/core";
import type { MissingReason } from "./numbers.ts";

/** Something an engine's page should have and has not, and why. */
export interface MissingMetric {
  /** A field of the endpoint's metrics, or the attribute of a custom metric. */
  readonly metric: string;
  readonly reason: MissingReason;
}

/** Says what changed about an endpoint: a line and a count per change, never per poll. */
export class Reports {
  readonly #logger: Logger;
  readonly #missing: Counter;

  constructor({ logger, metrics }: Pick<PluginContext, "logger" | "metrics">) {
    this.#logger = logger;
    this.#missing = metrics.counter({
      name: "muster_datalayer_missing_metrics_total",
      help: "Metrics of endpoints that turned unknown because page after page lacks them.",
      labels: ["engine", "metric"],
    });
  }

  missing(endpoint: string, engine: string, missing: readonly MissingMetric[]): void {
    for (const { metric } of missing) this.#missing.add(1, { engine, metric });
    const list = missing.map(({ metric, reason }) => `${metric} (${reason})`).join(", ");
    const fields = { code: "EXTRACT_MISSING", endpoint, engine, missing };
    this.#logger.warn(fields, `unknown for want of a metric: ${list}`);
  }

  back(endpoint: string, engine: string, metrics: readonly string[]): void {
    this.#logger.info({ endpoint, engine, metrics }, `known again: ${metrics.join(", ")}`);
  }

  engineChanged(endpoint: string, engine: string, was: string): void {
    this.#logger.info({ endpoint, engine, was }, `engine is now ${engine}`);
  }

  labelUnusable(endpoint: string, label: string, engine: string): void {
    this.#logger.warn(
      { endpoint, label, engine },
      `the engine label does not fit the endpoint's page, which is read as ${engine}'s`,
    );
  }
}
