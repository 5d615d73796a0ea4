import {
  definePlugin,
  type PluginContext,
  type PluginDefinition,
  type PollingSource,
} from "@muster/core";
import type { PrometheusPage } from "@muster/core/prometheus";
import { configSchema, type PrometheusSourceConfig } from "./config.ts";
import { makeSource } from "./prometheus-source.ts";
import type { Transport } from "./transport/transport.ts";

type Definition = PluginDefinition<
  "source",
  PollingSource<PrometheusPage>,
  PrometheusSourceConfig | undefined
>;

function define(transport?: Transport): Definition {
  return definePlugin({
    kind: "source",
    type: "metrics-data-source",
    description: "Polls model servers for Prometheus and OpenMetrics text over HTTP.",
    configSchema,
    create: (settings, context) => makeSource(settings, context, transport),
  });
}

/**
 * The plugin `metrics-data-source`: polls each endpoint's metrics page and parses the families that its
 * extractors want. `dispatch` rejects with one of the SCRAPE_ codes or PARSE_LIMIT.
 */
const prometheus: Definition = define();

export default prometheus;

/** Options of {@link createPrometheusSource}. */
export interface PrometheusSourceOptions {
  readonly config?: PrometheusSourceConfig | undefined;
  /** Closed with the source. TLS settings and allowed targets of the configuration are its own to keep. */
  readonly transport: Transport;
  readonly context?: Partial<PluginContext> | undefined;
}

/** A `metrics-data-source` over a transport of one's own: a faster client, or a test's. */
export function createPrometheusSource(
  options: PrometheusSourceOptions,
): PollingSource<PrometheusPage> {
  return define(options.transport).create(options.config, options.context);
}
