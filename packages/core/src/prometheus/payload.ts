import type { PollingExtractor } from "../extractor.ts";
import { type PayloadToken, payloadToken } from "../payload.ts";
import type { MetricFamily } from "./families.ts";

/** One page of metrics, parsed as far as the bound extractors asked. */
export interface PrometheusPage {
  readonly format: "text" | "openmetrics";
  /**
   * The family of that name, or `undefined` when the page has none, or nobody asked for it. A counter
   * is found with and without `_total`, an info with and without `_info`, whichever the format uses.
   */
  family(name: string): MetricFamily | undefined;
  /** All parsed families, in the page's order. */
  families(): Iterable<MetricFamily>;
  /** Lines that could not be understood, among those of the parsed families. */
  readonly skipped: number;
}

/** Payload of sources that read Prometheus pages. */
export const prometheusPage: PayloadToken<PrometheusPage> = payloadToken("prometheus");

/** An extractor of Prometheus pages; the source parses only the union of what all its extractors want. */
export interface PrometheusExtractor extends PollingExtractor<PrometheusPage> {
  /** Family names wanted, as on the page; `*` for all of them, which costs a full parse. */
  readonly families: readonly string[];
}
