import type { Family } from "../page/family.ts";
import { labelsText } from "../page/labels.ts";
import { numberText } from "../page/number-text.ts";
import type { PageContext } from "./profile.ts";

/**
 * `lora_requests_info`: one series for each combination of adapters, its value the wall clock when
 * it was last seen. Absent until an adapter was used, and again after a restart.
 */
export function vllmLoras({ settings, loras }: PageContext): Family {
  const name = "vllm:lora_requests_info";
  let revision = -1;
  let text = "";
  const lines = (): string | undefined => {
    if (!loras.used) return undefined;
    if (revision !== loras.revision) {
      revision = loras.revision;
      text = "";
      for (const { running, waiting, seenAt } of loras.list()) {
        const labels = {
          max_lora: `${settings.maxLoras}`,
          running_lora_adapters: running,
          waiting_lora_adapters: waiting,
        };
        text += `${name}${labelsText(labels)} ${numberText(seenAt / 1000)}\n`;
      }
    }
    return text === "" ? undefined : text;
  };
  return {
    kind: "custom",
    name,
    type: "gauge",
    help: "When adapters were running and waiting.",
    lines,
  };
}

/** `cache_config_info`: the cache's configuration as labels, one series a rank. */
export function vllmCacheConfig({ settings }: PageContext, main: boolean): Family {
  const name = "vllm:cache_config_info";
  const labels = {
    ...baseConfig,
    ...(main ? mainConfig : {}),
    block_size: `${settings.blockSize}`,
    num_gpu_blocks: `${settings.numBlocks}`,
  };
  let text = "";
  for (let rank = 0; rank < settings.ranks; rank++)
    text += `${name}${labelsText({ ...labels, engine: `${rank}` })} 1.0\n`;
  return {
    kind: "custom",
    name,
    type: "gauge",
    help: "Configuration of the cache.",
    lines: () => text,
  };
}

const baseConfig = {
  cache_dtype: "auto",
  calculate_kv_scales: "False",
  cpu_kvcache_space_bytes: "None",
  cpu_offload_gb: "0.0",
  enable_prefix_caching: "True",
  gpu_memory_utilization: "0.9",
  is_attention_free: "False",
  kv_cache_memory_bytes: "None",
  kv_sharing_fast_prefill: "False",
  mamba_cache_dtype: "auto",
  mamba_page_size_padded: "None",
  mamba_ssm_cache_dtype: "auto",
  num_cpu_blocks: "None",
  num_gpu_blocks_override: "None",
  prefix_caching_hash_algo: "sha256",
  sliding_window: "None",
  swap_space: "4.0",
  swap_space_bytes: "4294967296.0",
};

const mainConfig = {
  hash_block_size: "None",
  kv_cache_dtype_skip_layers: "[]",
  kv_offloading_backend: "native",
  kv_offloading_size: "None",
  mamba_block_size: "None",
  mamba_cache_mode: "none",
  user_specified_block_size: "False",
};
