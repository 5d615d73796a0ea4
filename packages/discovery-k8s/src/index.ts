export * from "./api/index.ts";
export * from "./reflector/index.ts";
