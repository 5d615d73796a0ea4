export { type LoraState, loraState } from "@muster/core/attributes";
export type { LoraConfig, LoraEngineConfig } from "./config.ts";
export { loraSpecs } from "./lora-sources.ts";
export { default } from "./plugin.ts";
