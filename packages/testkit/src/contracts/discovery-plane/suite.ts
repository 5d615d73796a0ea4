import { type TestApi, using } from "../test-api.ts";
import { defaultPatience } from "../verify.ts";
import { createPlaneBench, type DiscoveryPlaneHarness, type PlaneTest } from "./bench.ts";
import { lifecycleTests } from "./lifecycle.ts";
import { modelTests } from "./models.ts";
import { queryTests } from "./query.ts";
import { registerTests } from "./register.ts";
import { taintTests } from "./taints.ts";
import { unregisterTests } from "./unregister.ts";
import { watchTests } from "./watch.ts";

/**
 * The contract of the discovery plane, over whatever backend. Each test makes a plane without records
 * and several workers on it.
 */
export function describeDiscoveryPlane(
  { describe, it }: TestApi,
  harness: DiscoveryPlaneHarness,
): void {
  const patience = harness.patience ?? defaultPatience;
  const test: PlaneTest = (name, body) => {
    it(name, () => using(() => createPlaneBench(harness, patience), body));
  };
  describe("discovery plane", () => {
    registerTests(test);
    unregisterTests(test);
    queryTests(test);
    modelTests(test);
    taintTests(test);
    watchTests(test);
    lifecycleTests(test);
  });
}
