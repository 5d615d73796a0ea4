import { type Family, familyBuilders } from "../page/family.ts";
import { labelsText } from "../page/labels.ts";
import type { PageContext } from "./profile.ts";

/** Versions of SGLang whose pages are known. */
export type SglangVersion = "0.5.12" | "0.5.9";

const rank = familyBuilders("rank", "sglang:");
const server = familyBuilders("server", "sglang:");

const queueSeconds = [
  0, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300, 400, 500,
  600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000,
];
const firstTokenSeconds = [
  0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400,
];
const requestSeconds = [...firstTokenSeconds, 600, 1200, 1800, 2400];
const tokenSeconds = [
  0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2,
  0.4, 0.6, 0.8, 1, 2, 4, 6, 8,
];
/** From 1 ms, each 1.62 times the one before, with the rounding of the original. */
const stageSeconds = [
  0.001, 0.0016200000000000001, 0.0026244000000000007, 0.004251528, 0.006887475360000002,
  0.011157710083200004, 0.018075490334784006, 0.029282294342350097, 0.047437316834607154,
  0.07684845327206359, 0.12449449430074302, 0.20168108076720373, 0.3267233508428701,
  0.5292918283654495, 0.8574527619520282, 1.389073474362286, 2.2502990284669036, 3.6454844261163837,
  5.905684770308542, 9.567209327899839, 15.49887911119774, 25.10818416014034, 40.67525833942735,
  65.89391850987231, 106.74814798599316, 172.93199973730896, 280.1498395744405, 453.84274011059364,
  735.2252389791618, 1191.064887146242,
];

/** SGLang's page; names, types, labels and buckets as in the fixtures. */
export function sglangFamilies(context: PageContext, version: SglangVersion): readonly Family[] {
  const ofProcess = [{ labels: { pid: `${context.process.pid}` }, read: () => 0 }];
  return [
    ...loadGauges(),
    ...unusedGauges(),
    ...sizeGauges(context, version),
    ...latencyHistograms(),
    rank.gauge("num_retracted_reqs", "Requests retracted in the last step.", ofProcess),
    rank.gauge("num_paused_reqs", "Requests paused in the last step.", ofProcess),
    ...counters(),
  ];
}

function loadGauges(): readonly Family[] {
  return [
    rank.gauge("num_running_reqs", "Requests running.", (load) => load.running),
    rank.gauge("num_used_tokens", "Tokens in the KV cache.", (load) => load.usedTokens),
    rank.gauge("token_usage", "Used part of the KV cache, 0 to 1.", (load) => load.kvUsage),
    rank.gauge("gen_throughput", "Tokens generated per second.", (load) => load.throughput),
    rank.gauge("num_queue_reqs", "Requests in the queue.", (load) => load.waiting),
    rank.gauge("cache_hit_rate", "Part of the prompt tokens found in the prefix cache.", (load) =>
      load.totals.promptTokens === 0 ? 0 : load.totals.cachedTokens / load.totals.promptTokens,
    ),
    rank.gauge(
      "decode_sum_seq_lens",
      "Tokens of all requests in decode.",
      (load) => load.usedTokens,
    ),
    rank.gauge("utilization", "Used part of what the rank can do.", (load) => load.kvUsage),
    rank.gauge("is_cuda_graph", "Whether the last step used a CUDA graph.", (load) =>
      load.running > 0 ? 1 : 0,
    ),
  ];
}

/** Gauges of features that are not simulated: speculation, disaggregation, grammars, other caches. */
function unusedGauges(): readonly Family[] {
  const names: Readonly<Record<string, string>> = {
    pending_prealloc_token_usage: "Tokens that wait to be allocated.",
    swa_token_usage: "Used part of the sliding-window cache.",
    mamba_usage: "Used part of the Mamba cache.",
    num_grammar_queue_reqs: "Requests that wait for a grammar.",
    num_running_reqs_offline_batch: "Offline requests running.",
    spec_accept_length: "Mean accepted length in speculative decoding.",
    spec_accept_rate: "Mean acceptance rate in speculative decoding.",
    num_prefill_prealloc_queue_reqs: "Requests in the prefill server's allocation queue.",
    num_prefill_inflight_queue_reqs: "Requests in the prefill server's transfer queue.",
    num_decode_prealloc_queue_reqs: "Requests in the decode server's allocation queue.",
    num_decode_transfer_queue_reqs: "Requests in the decode server's transfer queue.",
    kv_transfer_speed_gb_s: "Speed of KV transfers, GB per second.",
    kv_transfer_latency_ms: "Latency of KV transfers, ms.",
    new_token_ratio: "Expected part of the allowed new tokens.",
    num_unique_running_routing_keys: "Routing keys among the running requests.",
  };
  return Object.entries(names).map(([name, help]) => rank.gauge(name, help, 0));
}

function sizeGauges({ settings }: PageContext, version: SglangVersion): readonly Family[] {
  const { blockSize, numBlocks } = settings;
  const common = [
    rank.gauge("max_total_num_tokens", "Tokens the KV cache holds.", blockSize * numBlocks),
    rank.gauge("engine_startup_time", "Seconds the engine took to start.", 61.42),
    rank.gauge("engine_load_weights_time", "Seconds the weights took to load.", 12.08),
  ];
  if (version === "0.5.12")
    return [
      ...common,
      rank.gauge("page_size", "Tokens of a page.", blockSize),
      rank.gauge("num_pages", "Pages of the KV cache.", numBlocks),
    ];
  const name = "sglang:cache_config_info";
  const labels = labelsText({ page_size: `${blockSize}`, num_pages: `${numBlocks}` });
  const help = "Configuration of the cache.";
  return [
    ...common,
    { kind: "custom", name, type: "gauge", help, lines: () => `${name}${labels} 1.0\n` },
  ];
}

function latencyHistograms(): readonly Family[] {
  return [
    rank.histogram("queue_time_seconds", "Seconds in the queue.", {
      bounds: queueSeconds,
      series: "queueTime",
    }),
    rank.histogram("per_stage_req_latency_seconds", "Seconds in each stage.", {
      bounds: stageSeconds,
      series: [
        { labels: { stage: "prefill_waiting" }, measure: "queueTime" },
        { labels: { stage: "prefill_forward" }, measure: "prefillTime" },
        { labels: { stage: "decode_forward" }, measure: "decodeTime" },
      ],
    }),
    server.histogram("time_to_first_token_seconds", "Seconds to the first token.", {
      bounds: firstTokenSeconds,
      series: "timeToFirstToken",
    }),
    server.histogram("inter_token_latency_seconds", "Seconds from token to token.", {
      bounds: tokenSeconds,
      series: "interTokenLatency",
    }),
    server.histogram("e2e_request_latency_seconds", "Seconds from arrival to end.", {
      bounds: requestSeconds,
      series: "endToEnd",
    }),
  ];
}

function counters(): readonly Family[] {
  return [
    rank.counter("num_retracted_requests_total", "Retractions.", (load) => load.totals.preemptions),
    rank.counter("num_bootstrap_failed_reqs_total", "Requests that failed to connect.", 0),
    rank.counter("num_transfer_failed_reqs_total", "Requests whose transfer failed.", 0),
    rank.counter("num_grammar_total", "Requests with a grammar.", 0),
    rank.counter("cuda_graph_passes_total", "Steps that used a CUDA graph.", [
      { labels: { mode: "decode_cuda_graph" }, read: (load) => load.totals.steps },
    ]),
    rank.counter("realtime_tokens_total", "Tokens processed by mode.", [
      { labels: { mode: "prefill_compute" }, read: (load) => load.totals.computedTokens },
      { labels: { mode: "decode" }, read: (load) => load.totals.generatedTokens },
    ]),
    server.counter("prompt_tokens_total", "Prompt tokens.", (load) => load.totals.promptTokens),
    server.counter(
      "generation_tokens_total",
      "Tokens generated.",
      (load) => load.totals.generatedTokens,
    ),
    server.counter("num_requests_total", "Requests.", (load) => load.totals.requests),
    server.counter("num_aborted_requests_total", "Requests aborted.", (load) => load.totals.abort),
    server.counter("cached_tokens_total", "Prompt tokens found in a cache.", [
      { labels: { cache_source: "device" }, read: (load) => load.totals.cachedTokens },
    ]),
  ];
}
