import { readFileSync } from "node:fs";
import { isMusterError, type ModelServer } from "@muster/core";
import type { PrometheusExtractor } from "@muster/core/prometheus";
import lora, { type LoraConfig, type LoraState, loraState } from "@muster/extractors-lora";
import { parsePage } from "@muster/source-prometheus";
import {
  createFakeClock,
  createFakeEndpoint,
  createRecordingLogger,
  type FakeClock,
  type RecordingLogger,
} from "@muster/testkit";

const fixtures = new URL("../../../fixtures/metrics/", import.meta.url);

/** The time of the pages in fixtures/metrics, s. */
export const fixtureTime = 1_758_000_000;

/** A page of fixtures/metrics. */
export function fixture(file: string): Buffer {
  return readFileSync(new URL(file, fixtures));
}

/** One extractor and one endpoint, polled by hand. */
export interface Bench {
  readonly extractor: PrometheusExtractor;
  readonly endpoint: ModelServer;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly state: LoraState | undefined;
  /** Extracts one page, 10 ms after the last. */
  poll(page: string | Uint8Array, contentType?: string): Promise<void>;
  /** Code and message of a poll that has to fail. */
  failure(page: string | Uint8Array): Promise<string>;
}

export function createBench(
  config: LoraConfig = {},
  labels: Readonly<Record<string, string>> = {},
): Bench {
  const clock = createFakeClock({ now: fixtureTime * 1000 });
  const logger = createRecordingLogger();
  const extractor = lora.create(config, { clock, logger });
  const endpoint = createFakeEndpoint({ labels }, { now: () => clock.now() });
  const { families } = extractor;
  const signal = new AbortController().signal;
  const poll: Bench["poll"] = async (page, contentType) => {
    await clock.advance(10);
    const bytes = typeof page === "string" ? Buffer.from(page) : page;
    const payload = parsePage(bytes, { contentType, families });
    await extractor.extract({ payload, endpoint }, { signal });
  };
  return {
    extractor,
    endpoint,
    clock,
    logger,
    get state() {
      return endpoint.attributes.get(loraState);
    },
    poll,
    failure: (page) =>
      poll(page).then(
        () => "no failure",
        (error: unknown) =>
          isMusterError(error) ? `${error.code}: ${error.message}` : `not coded: ${String(error)}`,
      ),
  };
}

/** One series of vLLM's LoRA metric. */
export function series(
  value: number | string,
  running = "",
  labels: Readonly<Record<string, string>> = {},
): string {
  const all = {
    max_lora: "4",
    running_lora_adapters: running,
    waiting_lora_adapters: "",
    ...labels,
  };
  const pairs = Object.entries(all).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
  return `vllm:lora_requests_info{${pairs.join(",")}} ${value}\n`;
}
