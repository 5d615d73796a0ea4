import { type Family, familyBuilders } from "../page/family.ts";
import { labelsText } from "../page/labels.ts";
import { numberText } from "../page/number-text.ts";
import type { PageContext } from "./profile.ts";

const { gauge, counter, histogram } = familyBuilders("server", "trtllm_");

const cachedTokenBounds = [0, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
const prefillTokenBounds = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768];
const perplexityBounds = [1, 2, 5, 10, 25, 50, 100, 500, 1000];

/** trtllm-serve's families on tokens, errors and configuration. */
export function trtllmTokenFamilies(context: PageContext): readonly Family[] {
  return [
    counter("prompt_tokens_total", "Prompt tokens.", (load) => load.totals.promptTokens),
    counter("generation_tokens_total", "Tokens generated.", (load) => load.totals.generatedTokens),
    counter(
      "prompt_cached_tokens_total",
      "Prompt tokens found in the cache.",
      (load) => load.totals.cachedTokens,
    ),
    counter("prompt_cache_hit_tokens_total", "Prompt tokens found in the cache, by level.", [
      {
        labels: { cache_level: "0", cache_tier: "gpu" },
        read: (load) => load.totals.cachedTokens,
      },
    ]),
    histogram(
      "prompt_cached_tokens_per_request",
      "Prompt tokens of a request found in the cache.",
      {
        bounds: cachedTokenBounds,
        series: "cachedTokens",
      },
    ),
    counter("spec_decode_drafted_tokens_total", "Tokens drafted, by position.", []),
    counter("spec_decode_accepted_tokens_total", "Drafted tokens accepted, by position.", []),
    histogram("prefill_perplexity", "Perplexity of prompts.", {
      bounds: perplexityBounds,
      series: [],
    }),
    histogram("generation_perplexity", "Perplexity of outputs.", {
      bounds: perplexityBounds,
      series: [],
    }),
    gauge(
      "prefill_batch_occupancy",
      "Part of the places in the batch that are in prefill.",
      (load) => load.prefilling / (context.settings.maxRunning * context.settings.ranks),
    ),
    histogram("prefill_batch_tokens", "Prompt tokens of one step.", {
      bounds: prefillTokenBounds,
      series: "prefillBatchTokens",
    }),
    errorFamily(context),
    ...configFamilies(context),
  ];
}

function errorFamily({ traffic, settings }: PageContext): Family {
  const name = "trtllm_request_error_total";
  const base = { model_name: settings.model, engine_type: "trtllm" };
  const lines = (): string => {
    let text = "";
    for (const [status, count] of traffic.errors)
      text += `${name}${labelsText({ ...base, http_code: status })} ${numberText(count)}\n`;
    return text;
  };
  return { kind: "custom", name, type: "counter", help: "Requests refused, by status.", lines };
}

function configFamilies({ settings, process }: PageContext): readonly Family[] {
  const base = { model_name: settings.model, engine_type: "trtllm", pid: `${process.pid}` };
  const info = (name: string, help: string, labels: Readonly<Record<string, string>>): Family => {
    const line = `trtllm_${name}${labelsText({ ...base, ...labels })} 1.0\n`;
    return { kind: "custom", name: `trtllm_${name}`, type: "gauge", help, lines: () => line };
  };
  return [
    info("model_config_info", "The model.", {
      model: settings.model,
      dtype: "bfloat16",
      quantization: "none",
    }),
    info("parallel_config_info", "The parallelism.", { tp_size: "1", pp_size: "1" }),
    info("kv_cache_config_info", "The KV cache.", {
      page_size: `${settings.blockSize}`,
      enable_block_reuse: "True",
    }),
  ];
}
