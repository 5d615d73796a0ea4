export type { DiscoveryPlaneHarness, DiscoveryPlaneWorld } from "./bench.ts";
export { describeDiscoveryPlane } from "./suite.ts";
