import { type Family, familyBuilders, type ScalarSeries } from "../page/family.ts";
import { firstTokenSeconds, requestSeconds, tokenSeconds } from "./buckets.ts";
import type { PageContext } from "./profile.ts";
import { trtllmIterationFamilies } from "./trtllm-iteration-families.ts";
import { trtllmTokenFamilies } from "./trtllm-token-families.ts";

/** Versions of trtllm-serve whose pages are known. */
export type TrtllmVersion = "main-2026" | "1.0";

/**
 * trtllm-serve's page. 1.0 has five families without a prefix and says nothing of the load; its names,
 * types, labels and buckets are as in the fixtures, those of `main-2026` as in TensorRT-LLM's metrics
 * collector.
 */
export function trtllmFamilies(context: PageContext, version: TrtllmVersion): readonly Family[] {
  if (version === "1.0") return requestFamilies("", "finish_reason");
  return [
    ...requestFamilies("trtllm_", "finished_reason"),
    ...phaseFamilies(),
    ...trtllmTokenFamilies(context),
    ...trtllmIterationFamilies(context),
  ];
}

function requestFamilies(prefix: string, reasonLabel: string): readonly Family[] {
  const { counter, histogram } = familyBuilders("server", prefix);
  const ended: readonly ScalarSeries[] = [
    { labels: { [reasonLabel]: "stop" }, read: (load) => load.totals.stop },
    { labels: { [reasonLabel]: "length" }, read: (load) => load.totals.length },
  ];
  return [
    counter("request_success_total", "Requests that ended well, by reason.", ended),
    histogram("e2e_request_latency_seconds", "Seconds from arrival to end.", {
      bounds: requestSeconds,
      series: "endToEnd",
    }),
    histogram("time_to_first_token_seconds", "Seconds to the first token.", {
      bounds: firstTokenSeconds,
      series: "timeToFirstToken",
    }),
    histogram("time_per_output_token_seconds", "Mean seconds per token of a request.", {
      bounds: tokenSeconds,
      series: "timePerOutputToken",
    }),
    histogram("request_queue_time_seconds", "Seconds in the queue.", {
      bounds: requestSeconds,
      series: "queueTime",
    }),
  ];
}

function phaseFamilies(): readonly Family[] {
  const { histogram } = familyBuilders("server", "trtllm_");
  return [
    histogram("request_prefill_time_seconds", "Seconds in prefill.", {
      bounds: prefillSeconds,
      series: "prefillTime",
    }),
    histogram("request_decode_time_seconds", "Seconds in decode.", {
      bounds: requestSeconds,
      series: "decodeTime",
    }),
    histogram("request_inference_time_seconds", "Seconds running.", {
      bounds: requestSeconds,
      series: "inferenceTime",
    }),
  ];
}

const prefillSeconds = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 640, 2560,
];
