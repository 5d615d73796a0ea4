import { type Family, familyBuilders } from "../page/family.ts";
import { choiceBounds, tokenBounds } from "./buckets.ts";

const { histogram } = familyBuilders("rank", "vllm:");

const iterationBounds = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
const preemptionBounds = [1, 2, 3, 4, 5, 10, 20];

/** vLLM's histograms of token counts and request parameters. */
export function vllmTokenHistograms(): readonly Family[] {
  return [
    histogram("request_prompt_tokens", "Prompt tokens of a request.", {
      bounds: tokenBounds,
      series: "promptTokens",
    }),
    histogram("request_generation_tokens", "Tokens generated for a request.", {
      bounds: tokenBounds,
      series: "generationTokens",
    }),
    histogram("iteration_tokens_total", "Tokens of one engine step.", {
      bounds: iterationBounds,
      series: "iterationTokens",
    }),
    histogram("request_max_num_generation_tokens", "Most tokens generated for a request.", {
      bounds: tokenBounds,
      series: "maxTokens",
    }),
    histogram("request_params_n", "The parameter n of a request.", {
      bounds: choiceBounds,
      series: "choices",
    }),
    histogram("request_params_max_tokens", "The parameter max_tokens of a request.", {
      bounds: tokenBounds,
      series: "requestedMaxTokens",
    }),
  ];
}

/** The histograms that newer versions add. */
export function vllmPreemptionTokens(): readonly Family[] {
  return [
    histogram("request_num_preemptions", "How often a request was preempted.", {
      bounds: preemptionBounds,
      series: "preemptions",
    }),
    histogram(
      "request_prefill_kv_computed_tokens",
      "Tokens computed in prefill, without cached ones.",
      {
        bounds: tokenBounds,
        series: "computedTokens",
      },
    ),
  ];
}
