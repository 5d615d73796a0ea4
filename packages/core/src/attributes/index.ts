export * from "./engine.ts";
export * from "./lora.ts";
