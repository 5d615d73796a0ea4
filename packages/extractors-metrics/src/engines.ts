import type { EngineDefinition } from "./engine-definition.ts";

const vllmFields: EngineDefinition["fields"] = {
  waitingQueueSize: ["vllm:num_requests_waiting"],
  runningRequestsSize: ["vllm:num_requests_running"],
  // renamed in 0.10, both until 0.11: gateway-api-inference-extension#1905
  kvCacheUsagePercent: ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"],
  cacheBlockSize: [{ spec: "vllm:cache_config_info", label: "block_size" }],
  cacheNumBlocks: [{ spec: "vllm:cache_config_info", label: "num_gpu_blocks" }],
};

/** Triton names models by two labels and knows no data-parallel ranks. */
const tritonLabels = { rankLabels: [], modelLabels: ["model", "version"] } as const;

/**
 * The built-in engines, in the order in which detection prefers them. Names are those of the engines'
 * own pages; `fixtures/metrics` has one of each.
 */
export const engines: readonly EngineDefinition[] = [
  // a page with adapters and nothing else is still vLLM's
  { name: "vllm", fields: vllmFields, markers: ["vllm:lora_requests_info"] },
  {
    name: "sglang",
    fields: {
      waitingQueueSize: ["sglang:num_queue_reqs", "sglang_num_queue_reqs"],
      runningRequestsSize: ["sglang:num_running_reqs", "sglang_num_running_reqs"],
      kvCacheUsagePercent: ["sglang:token_usage", "sglang_token_usage"],
      // gauges since 0.5.12: llm-d-router#2294
      cacheBlockSize: [
        "sglang:page_size",
        { spec: "sglang:cache_config_info", label: "page_size" },
      ],
      cacheNumBlocks: [
        "sglang:num_pages",
        { spec: "sglang:cache_config_info", label: "num_pages" },
      ],
      kvCacheMaxTokenCapacity: ["sglang:max_total_num_tokens"],
    },
  },
  {
    name: "trtllm-serve",
    fields: {
      waitingQueueSize: ["trtllm_num_requests_waiting"],
      runningRequestsSize: ["trtllm_num_requests_running"],
      kvCacheUsagePercent: ["trtllm_kv_cache_utilization"],
      cacheBlockSize: ["trtllm_kv_cache_tokens_per_block"],
      cacheNumBlocks: ["trtllm_kv_cache_max_blocks"],
    },
    // 1.0 has no gauges and no prefix; its label is literally "undefined"
    markers: ["trtllm_request_success_total", "request_success_total{engine_type=undefined}"],
  },
  {
    name: "triton-tensorrt-llm",
    ...tritonLabels,
    fields: {
      waitingQueueSize: ["nv_trt_llm_request_metrics{request_type=waiting}"],
      runningRequestsSize: ["nv_trt_llm_request_metrics{request_type=scheduled}"],
      kvCacheUsagePercent: ["nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=fraction}"],
      cacheBlockSize: ["nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=tokens_per}"],
      cacheNumBlocks: ["nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=max}"],
    },
  },
  {
    name: "triton",
    ...tritonLabels,
    // no running requests: nv_inference_exec_count only ever grows
    fields: { waitingQueueSize: ["nv_inference_pending_request_count"] },
  },
  {
    name: "tgi",
    fields: {
      waitingQueueSize: ["tgi_queue_size"],
      runningRequestsSize: ["tgi_batch_current_size"],
      kvCacheMaxTokenCapacity: ["tgi_batch_max_total_tokens"],
    },
  },
  {
    name: "llamacpp",
    fields: {
      waitingQueueSize: ["llamacpp:requests_deferred"],
      runningRequestsSize: ["llamacpp:requests_processing"],
      kvCacheUsagePercent: ["llamacpp:kv_cache_usage_ratio"],
    },
  },
  // simulates vLLM's page, so only a label can tell it from vLLM
  { name: "llm-d-inference-sim", fields: vllmFields, detected: false },
];
