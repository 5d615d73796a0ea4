import type { PollingSource } from "@muster/core";
import {
  createEndpoint,
  createEndpointMetadata,
  type EndpointWriter,
  type ErrorCode,
  errorCodeOf,
  toMusterError,
  typedName,
} from "@muster/core";
import { engineState } from "@muster/core/attributes";
import { createPollingDispatcher } from "@muster/core/dispatch";
import {
  engineLabel,
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import lora from "@muster/extractors-lora";
import coreMetrics, { type CoreMetricsExtractor } from "@muster/extractors-metrics";
import prometheus, { parsePage } from "@muster/source-prometheus";
import { attributesJson, type Json, metricsJson } from "../http/endpoint-json.ts";
import { guessType, readPageFile } from "./page-file.ts";
import { parseTarget } from "./target.ts";

/** How to read the page. */
export interface InspectOptions {
  /** `auto`, or the name of an engine. */
  readonly engine: string;
  /** Of a file; default: OpenMetrics when it ends in `# EOF`, else classic text. */
  readonly contentType?: string | undefined;
  /** Time-out for a URL, Go duration or ms. */
  readonly timeout: string;
  readonly maxBytes: number;
  readonly bearerTokenFile?: string | undefined;
  readonly caCert?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

/** What one page says; unknown is `null`. */
export interface InspectReport {
  readonly engine: string | null;
  readonly metrics: { readonly [key: string]: Json };
  readonly attributes: { readonly [key: string]: Json };
  /** Fields the engine should give and the page does not. */
  readonly missing: readonly string[];
  /** Lines that could not be understood. */
  readonly skipped: number;
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Reads one page through the real source and extractors. */
export async function inspectPage(
  target: string,
  options: InspectOptions,
  signal: AbortSignal,
): Promise<InspectReport> {
  const engine = options.engine === "auto" ? undefined : options.engine;
  const labels = engine === undefined ? {} : { [engineLabel]: engine };
  const where = parseTarget(target, labels);
  const metadata =
    where.kind === "url"
      ? where.metadata
      : createEndpointMetadata({ name: "page", address: "127.0.0.1", port: 1, labels });
  const endpoint = createEndpoint(metadata);
  const core = coreMetrics.create();
  const tap = createPageTap(core, engine);
  const extractors = [tap.extractor, core, lora.create()];
  const source =
    where.kind === "url" ? urlSource(options) : fileSource(where.file, options, extractors);
  try {
    for (const extractor of extractors) source.appendExtractor(extractor);
    const error = await poll(source, endpoint, signal);
    return {
      engine: endpoint.attributes.get(engineState)?.engine ?? null,
      metrics: metricsJson(endpoint.metrics),
      attributes: attributesJson(endpoint.attributes),
      missing: tap.missing(),
      skipped: tap.skipped(),
      error,
    };
  } finally {
    await source.stop?.();
  }
}

async function poll(
  source: PollingSource<PrometheusPage>,
  endpoint: EndpointWriter,
  signal: AbortSignal,
): Promise<InspectReport["error"]> {
  try {
    const { failed } = await source.dispatch(endpoint, { signal });
    const first = failed[0];
    return first === undefined ? null : { code: first.code, message: first.message };
  } catch (error) {
    const { code, message } = toMusterError(error, "INTERNAL");
    return { code, message };
  }
}

function urlSource(options: InspectOptions): PollingSource<PrometheusPage> {
  const { timeout, maxBytes, bearerTokenFile, caCert, insecureSkipVerify } = options;
  return prometheus.create({
    timeout,
    maxBodyBytes: maxBytes,
    ...(bearerTokenFile && { auth: { bearerTokenFile, hosts: ["*"] } }),
    ...(caCert && { caCertPath: caCert }),
    ...(insecureSkipVerify && { insecureSkipVerify }),
  });
}

function fileSource(
  file: string,
  options: InspectOptions,
  extractors: readonly PrometheusExtractor[],
): PollingSource<PrometheusPage> {
  const families = extractors.flatMap((extractor) => extractor.families);
  return createPollingDispatcher({
    typedName: typedName("page-file"),
    payload: prometheusPage,
    async poll() {
      const bytes = await readPageFile(file, options.maxBytes);
      return parsePage(bytes, { families, contentType: options.contentType ?? guessType(bytes) });
    },
  });
}

interface PageTap {
  readonly extractor: PrometheusExtractor;
  readonly skipped: () => number;
  readonly missing: () => readonly string[];
}

/** An extractor that only looks: at skipped lines, and at what the engine's page should have. */
function createPageTap(core: CoreMetricsExtractor, engine: string | undefined): PageTap {
  let page: PrometheusPage | undefined;
  const extractor: PrometheusExtractor = {
    typedName: typedName("page-tap"),
    variant: "polling",
    payload: prometheusPage,
    families: [],
    extract({ payload }) {
      page = payload;
    },
  };
  return {
    extractor,
    skipped: () => page?.skipped ?? 0,
    missing: () => (page === undefined ? [] : missingOf(core, page, engine)),
  };
}

function missingOf(
  core: CoreMetricsExtractor,
  page: PrometheusPage,
  engine: string | undefined,
): readonly string[] {
  try {
    return core.explain(page, { engine }).missing.map(({ metric }) => metric);
  } catch (error) {
    // the page is no engine's: the report's own error says so
    if (errorCodeOf(error, "INTERNAL") === "EXTRACT_NO_ENGINE") return [];
    throw error;
  }
}
