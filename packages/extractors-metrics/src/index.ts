export type { CoreMetricsConfig, EngineConfig } from "./config.ts";
export * from "./engine-definition.ts";
export { engines } from "./engines.ts";
export type { PageExplanation } from "./explain.ts";
export type { CoreMetricsExtractor, ExplainOptions } from "./extractor.ts";
export type { MissingReason } from "./numbers.ts";
export { default } from "./plugin.ts";
export type { MissingMetric } from "./reports.ts";
