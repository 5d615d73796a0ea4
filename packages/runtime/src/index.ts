export * from "./registry/plugin-host.ts";
export * from "./registry/plugin-registry.ts";
export * from "./wiring/index.ts";
