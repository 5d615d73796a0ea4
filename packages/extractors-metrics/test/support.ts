import { readFileSync } from "node:fs";
import { isMusterError, type ModelServer } from "@muster/core";
import { type EngineState, engineState } from "@muster/core/attributes";
import type { PrometheusPage } from "@muster/core/prometheus";
import coreMetrics, {
  type CoreMetricsConfig,
  type CoreMetricsExtractor,
} from "@muster/extractors-metrics";
import { parsePage } from "@muster/source-prometheus";
import {
  createFakeClock,
  createFakeEndpoint,
  createRecordingLogger,
  createRecordingMeter,
  type FakeClock,
  type RecordingLogger,
  type RecordingMeter,
} from "@muster/testkit";

const fixtures = new URL("../../../fixtures/metrics/", import.meta.url);

/** A page of fixtures/metrics. */
export function fixture(file: string): Buffer {
  return readFileSync(new URL(file, fixtures));
}

/** One extractor and one endpoint, polled by hand. */
export interface Bench {
  readonly extractor: CoreMetricsExtractor;
  readonly endpoint: ModelServer;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly meter: RecordingMeter;
  readonly state: EngineState | undefined;
  parse(page: string | Uint8Array, contentType?: string): PrometheusPage;
  /** Extracts one page, one second after the last. */
  poll(page: string | Uint8Array, contentType?: string): Promise<void>;
  /** The code of a poll that has to fail. */
  failure(page: string | Uint8Array): Promise<string>;
}

export function createBench(
  config: CoreMetricsConfig = {},
  labels: Readonly<Record<string, string>> = {},
): Bench {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const extractor = coreMetrics.create(config, { logger, metrics: meter, clock });
  const endpoint = createFakeEndpoint({ labels }, { now: () => clock.now() });
  const { families } = extractor;
  const signal = new AbortController().signal;
  const parse: Bench["parse"] = (page, contentType) =>
    parsePage(typeof page === "string" ? Buffer.from(page) : page, { contentType, families });
  const poll: Bench["poll"] = async (page, contentType) => {
    await clock.advance(1000);
    await extractor.extract({ payload: parse(page, contentType), endpoint }, { signal });
  };
  return {
    extractor,
    endpoint,
    clock,
    logger,
    meter,
    get state() {
      return endpoint.attributes.get(engineState);
    },
    parse,
    poll,
    failure: (page) =>
      poll(page).then(
        () => "no failure",
        (error: unknown) => (isMusterError(error) ? error.code : `not coded: ${String(error)}`),
      ),
  };
}

/** What a page of vLLM says when nothing is odd. */
export function vllmPage(fields: Readonly<Record<string, number | string>> = {}): string {
  const values: Record<string, number | string> = {
    num_requests_running: 8,
    num_requests_waiting: 3,
    kv_cache_usage_perc: 0.42,
    ...fields,
  };
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `# TYPE vllm:${name} gauge`,
    ...(value === "" ? [] : [`vllm:${name}{engine="0",model_name="m"} ${value}`]),
  ]);
  return `${lines.join("\n")}\n`;
}
