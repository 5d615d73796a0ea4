export * from "./apply-wiring.ts";
export * from "./resolve-wiring.ts";
export * from "./wiring.ts";
