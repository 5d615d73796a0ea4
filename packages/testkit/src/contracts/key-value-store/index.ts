export type { KeyValueStoreHarness, KeyValueStoreWorld } from "./bench.ts";
export { describeKeyValueStore } from "./suite.ts";
