export type { ObjectWatcherHarness, ObjectWatcherWorld } from "./bench.ts";
export * from "./suite.ts";
