export * from "./engine.ts";
export * from "./lora.ts";
export * from "./registered-models.ts";
