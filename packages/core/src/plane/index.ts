export * from "./catch-up-stream.ts";
export * from "./discovery.ts";
export * from "./key-value-store.ts";
export * from "./on-abort.ts";
