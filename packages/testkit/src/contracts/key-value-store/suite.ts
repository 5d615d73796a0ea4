import { type TestApi, using } from "../test-api.ts";
import { defaultPatience } from "../verify.ts";
import { createStoreBench, type KeyValueStoreHarness, type StoreTest } from "./bench.ts";
import { hostileTests } from "./hostile.ts";
import { keyTests } from "./keys.ts";
import { lifecycleTests } from "./lifecycle.ts";
import { lifetimeTests } from "./lifetime.ts";
import { rangeTests } from "./range.ts";
import { watchTests } from "./watch.ts";
import { watchEndTests } from "./watch-end.ts";

/**
 * The contract of a key-value store that the discovery plane can live on. Each test makes an empty
 * store and several clients on it; give the runner a time limit of at least `patience` plus five
 * times `ttl`.
 */
export function describeKeyValueStore(
  { describe, it }: TestApi,
  harness: KeyValueStoreHarness,
): void {
  const patience = harness.patience ?? defaultPatience;
  const test: StoreTest = (name, body) => {
    it(name, () => using(() => createStoreBench(harness, patience), body));
  };
  describe("key-value store", () => {
    keyTests(test);
    rangeTests(test);
    hostileTests(test);
    watchTests(test);
    watchEndTests(test);
    lifecycleTests(test);
    if (harness.ttl !== undefined) lifetimeTests(test, harness.ttl);
  });
}
