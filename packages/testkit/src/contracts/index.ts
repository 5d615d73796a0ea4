export * from "./attribute-map.ts";
export * from "./definition.ts";
export * from "./discovery.ts";
export * from "./endpoint-store.ts";
export * from "./event-sources.ts";
export * from "./extractor.ts";
export * from "./model-server.ts";
export * from "./polling-source.ts";
export type { Closable, TestApi } from "./test-api.ts";
