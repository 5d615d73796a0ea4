import type { LoadView } from "../engine/totals.ts";
import { type Family, familyBuilders, type ScalarSeries } from "../page/family.ts";
import { firstTokenSeconds, requestSeconds, tokenSeconds } from "./buckets.ts";
import { httpFamilies } from "./http-families.ts";
import type { PageContext } from "./profile.ts";
import { pythonFamilies } from "./python-families.ts";
import { vllmCacheConfig, vllmLoras } from "./vllm-info-families.ts";
import { vllmPreemptionTokens, vllmTokenHistograms } from "./vllm-token-histograms.ts";

/** Versions of vLLM whose pages are known. */
export type VllmVersion = "main-2026" | "0.11.0";

const { gauge, counter, histogram } = familyBuilders("rank", "vllm:");

/** vLLM's page, in its order; names, types, labels and buckets as in the fixtures. */
export function vllmFamilies(context: PageContext, version: VllmVersion): readonly Family[] {
  const main = version === "main-2026";
  return [
    ...pythonFamilies(context),
    ...schedulerFamilies(main),
    ...cacheFamilies(),
    ...tokenFamilies(main),
    successFamily(main),
    ...vllmTokenHistograms(),
    ...latencyFamilies(main),
    ...(main ? vllmPreemptionTokens() : []),
    vllmLoras(context),
    vllmCacheConfig(context, main),
    ...httpFamilies(context.traffic),
  ];
}

function labelled(label: string, reads: Record<string, ScalarSeries["read"]>): ScalarSeries[] {
  return Object.entries(reads).map(([value, read]) => ({ labels: { [label]: value }, read }));
}

function schedulerFamilies(main: boolean): readonly Family[] {
  const reasons = labelled("reason", {
    capacity: (load) => load.waiting - load.deferred,
    deferred: (load) => load.deferred,
  });
  const sleepStates = labelled("sleep_state", {
    awake: () => 1,
    weights_offloaded: () => 0,
    discard_all: () => 0,
  });
  return [
    gauge("num_requests_running", "Requests in the running batch.", (load) => load.running),
    gauge("num_requests_waiting", "Requests in the queue.", (load) => load.waiting),
    ...(main
      ? [gauge("num_requests_waiting_by_reason", "Requests in the queue by reason.", reasons)]
      : []),
    gauge("engine_sleep_state", "Which sleep state the engine is in (1).", sleepStates),
    gauge("kv_cache_usage_perc", "Used part of the KV cache, 0 to 1.", (load) => load.kvUsage),
  ];
}

function cacheFamilies(): readonly Family[] {
  const hits = (load: LoadView): number => load.totals.cachedTokens;
  const queries = (load: LoadView): number => load.totals.promptTokens;
  return [
    counter("prefix_cache_queries_total", "Tokens looked up in the prefix cache.", queries),
    counter("prefix_cache_hits_total", "Tokens found in the prefix cache.", hits),
    counter("external_prefix_cache_queries_total", "Tokens looked up in a shared cache.", 0),
    counter("external_prefix_cache_hits_total", "Tokens found in a shared cache.", 0),
    counter("mm_cache_queries_total", "Items looked up in the multi-modal cache.", 0),
    counter("mm_cache_hits_total", "Items found in the multi-modal cache.", 0),
  ];
}

function tokenFamilies(main: boolean): readonly Family[] {
  const cached = (load: LoadView): number => load.totals.cachedTokens;
  const computed = (load: LoadView): number => load.totals.computedTokens;
  const sources = labelled("source", {
    local_compute: (load) => load.totals.promptTokens - load.totals.cachedTokens,
    local_cache_hit: cached,
    external_kv_transfer: () => 0,
  });
  const onlyMain = [
    counter("prompt_tokens_by_source_total", "Prompt tokens by origin.", sources),
    counter("prompt_tokens_cached_total", "Prompt tokens that came from a cache.", cached),
    counter("scheduled_prefill_tokens_total", "Prompt tokens scheduled so far.", computed),
  ];
  return [
    counter("num_preemptions_total", "Preemptions so far.", (load) => load.totals.preemptions),
    counter("prompt_tokens_total", "Prompt tokens processed.", (load) => load.totals.promptTokens),
    ...(main ? onlyMain : []),
    counter("generation_tokens_total", "Tokens generated.", (load) => load.totals.generatedTokens),
  ];
}

function successFamily(main: boolean): Family {
  const reads: Record<string, ScalarSeries["read"]> = {
    stop: (load) => load.totals.stop,
    length: (load) => load.totals.length,
    abort: (load) => load.totals.abort,
  };
  if (main)
    Object.assign(reads, { error: (load: LoadView) => load.totals.error, repetition: () => 0 });
  return counter(
    "request_success_total",
    "Requests that ended, by reason.",
    labelled("finished_reason", reads),
  );
}

function latencyFamilies(main: boolean): readonly Family[] {
  const between = { bounds: tokenSeconds, series: "interTokenLatency" } as const;
  const phase = (
    measure: "endToEnd" | "queueTime" | "inferenceTime" | "prefillTime" | "decodeTime",
  ) => ({ bounds: requestSeconds, series: measure }) as const;
  return [
    histogram("time_to_first_token_seconds", "Seconds to the first token.", {
      bounds: firstTokenSeconds,
      series: "timeToFirstToken",
    }),
    ...(main
      ? []
      : [histogram("time_per_output_token_seconds", "Seconds between tokens.", between)]),
    histogram("inter_token_latency_seconds", "Seconds from token to token.", between),
    histogram("request_time_per_output_token_seconds", "Mean seconds per token of a request.", {
      bounds: tokenSeconds,
      series: "timePerOutputToken",
    }),
    histogram("e2e_request_latency_seconds", "Seconds from arrival to end.", phase("endToEnd")),
    histogram("request_queue_time_seconds", "Seconds in the queue.", phase("queueTime")),
    histogram("request_inference_time_seconds", "Seconds running.", phase("inferenceTime")),
    histogram("request_prefill_time_seconds", "Seconds in prefill.", phase("prefillTime")),
    histogram("request_decode_time_seconds", "Seconds in decode.", phase("decodeTime")),
  ];
}
