import type { Labels } from "../page/labels.ts";
import type { EngineProfile, PageContext } from "./profile.ts";
import { type SglangVersion, sglangFamilies } from "./sglang-families.ts";
import { type TrtllmVersion, trtllmFamilies } from "./trtllm-families.ts";
import { type VllmVersion, vllmFamilies } from "./vllm-families.ts";

/** An engine that can be simulated. */
export type EngineName = "vllm" | "sglang" | "trtllm-serve";

/** The versions of each engine; the first is the default. */
export const engineVersions: {
  readonly vllm: readonly VllmVersion[];
  readonly sglang: readonly SglangVersion[];
  readonly "trtllm-serve": readonly TrtllmVersion[];
} = Object.freeze({
  vllm: ["main-2026", "0.11.0"],
  sglang: ["0.5.12", "0.5.9"],
  "trtllm-serve": ["main-2026", "1.0"],
});

/** How an engine of that version shows itself. The version must be one of {@link engineVersions}. */
export function engineProfile(engine: EngineName, version: string): EngineProfile {
  if (engine === "vllm") return vllm(version as VllmVersion);
  if (engine === "sglang") return sglang(version as SglangVersion);
  return trtllm(version as TrtllmVersion);
}

function vllm(version: VllmVersion): EngineProfile {
  return {
    metricsPath: "/metrics",
    loraRoutePrefix: "/v1",
    ownedBy: "vllm",
    version,
    order: "sum-last",
    families: (context) => vllmFamilies(context, version),
    labels: ({ settings }, rank) => ({ engine: `${rank ?? 0}`, model_name: settings.model }),
  };
}

function sglang(version: SglangVersion): EngineProfile {
  return {
    metricsPath: "/metrics",
    loraRoutePrefix: "",
    ownedBy: "sglang",
    version,
    order: "sum-first",
    families: (context) => sglangFamilies(context, version),
    labels: sglangLabels,
  };
}

function sglangLabels({ settings }: PageContext, rank: number | undefined): Labels {
  if (rank === undefined) return { model_name: settings.model };
  return {
    engine_type: "unified",
    model_name: settings.model,
    moe_ep_rank: "0",
    pp_rank: "0",
    tp_rank: `${rank}`,
    ...(settings.ranks > 1 ? { dp_rank: `${rank}` } : {}),
  };
}

function trtllm(version: TrtllmVersion): EngineProfile {
  const old = version === "1.0";
  return {
    metricsPath: "/prometheus/metrics",
    statsPath: "/metrics",
    ownedBy: "tensorrt_llm",
    version,
    order: "sum-first",
    families: (context) => trtllmFamilies(context, version),
    // gauges of a multi-process registry carry the process they come from
    labels: ({ settings, process }, _rank, type) => ({
      model_name: old ? "undefined" : settings.model,
      engine_type: old ? "undefined" : "trtllm",
      ...(type === "gauge" ? { pid: `${process.pid}` } : {}),
    }),
  };
}
