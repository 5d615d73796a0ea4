import {
  createEndpoint,
  createEndpointMetadata,
  type EndpointMetadataInit,
  type ModelServer,
  type PollingSource,
  typedName,
} from "@muster/core";
import {
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import { onTestFinished } from "vitest";
import prometheus, { type PrometheusSourceConfig } from "../../src/index.ts";

/** An extractor that keeps the pages it sees. */
export function collector(families: readonly string[]): PrometheusExtractor & {
  readonly pages: PrometheusPage[];
} {
  const pages: PrometheusPage[] = [];
  return {
    typedName: typedName("collector"),
    variant: "polling",
    payload: prometheusPage,
    families,
    pages,
    extract({ payload }) {
      pages.push(payload);
    },
  };
}

/** A source that stops with the test. */
export function openSource(
  config: PrometheusSourceConfig = {},
  context: Parameters<typeof prometheus.create>[1] = {},
): PollingSource<PrometheusPage> {
  const source = prometheus.create({ timeout: "5s", ...config }, context);
  onTestFinished(() => source.stop?.());
  return source;
}

/** An endpoint on 127.0.0.1. */
export function endpointAt(port: string, init: Partial<EndpointMetadataInit> = {}): ModelServer {
  return createEndpoint(createEndpointMetadata({ name: "a", address: "127.0.0.1", port, ...init }));
}

/** Polls once and gives the page. */
export async function pollOnce(
  source: PollingSource<PrometheusPage>,
  endpoint: ModelServer,
): Promise<PrometheusPage> {
  const seen = collector(["a"]);
  source.appendExtractor(seen);
  await source.dispatch(endpoint, { signal: new AbortController().signal });
  const page = seen.pages.at(-1);
  if (page === undefined) throw new Error("the extractor did not run");
  return page;
}
