import type { LoadView } from "../engine/totals.ts";
import { type Family, familyBuilders } from "../page/family.ts";
import type { PageContext } from "./profile.ts";

const { gauge, counter } = familyBuilders("server", "trtllm_");

/** trtllm-serve's families on the state after the last iteration. */
export function trtllmIterationFamilies(context: PageContext): readonly Family[] {
  const places = context.settings.maxRunning * context.settings.ranks;
  return [
    ...cacheFamilies(context),
    gauge("num_requests_running", "Requests running.", (load) => load.running),
    gauge("num_requests_waiting", "Requests in the queue.", (load) => load.waiting),
    counter(
      "num_requests_completed_total",
      "Requests that ended.",
      (load) => load.totals.stop + load.totals.length,
    ),
    gauge("max_num_active_requests", "How many requests can run.", places),
    gauge("iteration_latency_seconds", "Seconds of the last iteration.", (load) =>
      load.running > 0 ? context.settings.stepInterval / 1000 : 0,
    ),
    gauge("gpu_memory_usage_bytes", "GPU memory in use.", 71_940_702_208),
    gauge("cpu_memory_usage_bytes", "CPU memory in use.", 0),
    gauge("pinned_memory_usage_bytes", "Pinned memory in use.", 0),
    gauge("max_batch_size_static", "Batch size the engine was built for.", places),
    gauge("max_batch_size_runtime", "Batch size in use.", places),
    gauge("max_num_tokens_runtime", "Tokens an iteration may have.", context.settings.maxModelLen),
    gauge("num_context_requests", "Requests in prefill.", (load) => load.prefilling),
    gauge(
      "num_generation_requests",
      "Requests in decode.",
      (load) => load.running - load.prefilling,
    ),
    gauge("num_paused_requests", "Requests paused.", 0),
    gauge("num_scheduled_requests", "Requests in the last iteration.", (load) => load.running),
    gauge("total_context_tokens", "Prompt tokens in the last iteration.", 0),
    gauge("avg_decoded_tokens_per_iter", "Tokens a request decodes in an iteration.", (load) =>
      load.running > 0 ? 1 : 0,
    ),
    counter("spec_decode_num_draft_tokens_total", "Tokens drafted.", 0),
    counter("spec_decode_num_accepted_tokens_total", "Drafted tokens accepted.", 0),
    gauge("spec_decode_acceptance_length", "Accepted length.", 0),
    gauge("spec_decode_draft_overhead", "Cost of drafting.", 0),
  ];
}

function cacheFamilies({ settings }: PageContext): readonly Family[] {
  const { blockSize } = settings;
  const hitBlocks = (load: LoadView): number => Math.floor(load.totals.cachedTokens / blockSize);
  const missedBlocks = (load: LoadView): number =>
    Math.floor(load.totals.computedTokens / blockSize);
  const generatedBlocks = (load: LoadView): number =>
    Math.floor(load.totals.generatedTokens / blockSize);
  const hitRate = ({ totals }: LoadView): number =>
    totals.promptTokens === 0 ? 0 : totals.cachedTokens / totals.promptTokens;
  return [
    gauge("kv_cache_hit_rate", "Part of the blocks found in the cache.", hitRate),
    counter("kv_cache_reused_blocks_total", "Blocks found in the cache.", hitBlocks),
    counter("kv_cache_missed_blocks_total", "Blocks not found in the cache.", missedBlocks),
    gauge("kv_cache_utilization", "Used part of the KV cache, 0 to 1.", (load) => load.kvUsage),
    gauge("kv_cache_host_utilization", "Used part of the cache in host memory.", 0),
    gauge("kv_cache_iter_reuse_rate", "Part of the blocks found in an iteration.", hitRate),
    counter("kv_cache_iter_reused_blocks_total", "Blocks found, whole or in part.", hitBlocks),
    counter("kv_cache_iter_full_reused_blocks_total", "Blocks found whole.", hitBlocks),
    counter("kv_cache_iter_partial_reused_blocks_total", "Blocks found in part.", 0),
    counter("kv_cache_iter_missed_blocks_total", "Blocks computed in prefill.", missedBlocks),
    counter("kv_cache_gen_alloc_blocks_total", "Blocks allocated in decode.", generatedBlocks),
    counter("kv_cache_onboard_bytes_total", "Bytes copied from host to GPU.", 0),
    counter("kv_cache_offload_bytes_total", "Bytes copied from GPU to host.", 0),
    counter("kv_cache_disk_prefetch_blocks_total", "Blocks fetched from disk.", 0),
    counter("kv_cache_intra_device_copy_bytes_total", "Bytes copied within the GPU.", 0),
    gauge("kv_cache_max_blocks", "Blocks of the KV cache.", (load) => load.numBlocks),
    gauge("kv_cache_free_blocks", "Free blocks.", (load) => load.numBlocks - load.usedBlocks),
    gauge("kv_cache_used_blocks", "Used blocks.", (load) => load.usedBlocks),
    gauge("kv_cache_tokens_per_block", "Tokens of a block.", blockSize),
  ];
}
