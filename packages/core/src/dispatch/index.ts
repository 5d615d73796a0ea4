export * from "./polling-dispatcher.ts";
export * from "./run-extractor.ts";
export * from "./write-handle.ts";
