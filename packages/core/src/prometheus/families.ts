/** Metric types of the Prometheus text format and of OpenMetrics; `unknown` when none is stated. */
export type MetricType =
  | "counter"
  | "gauge"
  | "histogram"
  | "gaugehistogram"
  | "summary"
  | "info"
  | "stateset"
  | "unknown";

/** One line of a page. */
export interface Sample {
  /** As on the line: of a histogram `<family>_bucket`, `<family>_sum` or `<family>_count`. */
  readonly name: string;
  /** Unescaped; no prototype, so any label name is only data. Empty values are left out. */
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite: check before use. */
  readonly value: number;
  /** Explicit timestamp, ms since the epoch (OpenMetrics' seconds are converted). */
  readonly timestamp: number | undefined;
}

/** All samples of one metric. */
export interface MetricFamily {
  /** Without `_total` for OpenMetrics counters. */
  readonly name: string;
  readonly type: MetricType;
  /** Empty when the page states none. */
  readonly help: string;
  /** OpenMetrics only; else empty. */
  readonly unit: string;
  /** In the page's order; empty for a family that has only a HELP or TYPE line. */
  readonly samples: readonly Sample[];
}
