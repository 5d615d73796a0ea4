import type { TestApi } from "@muster/testkit";

/** What became of a suite's tests. */
export interface Outcome {
  readonly passed: readonly string[];
  /** Name of the test, and why it failed. */
  readonly failed: readonly (readonly [name: string, reason: string])[];
}

/** Runs a suite by itself, so that a test can look at which of its tests fail. */
export async function outcomeOf(suite: (api: TestApi) => void): Promise<Outcome> {
  const tests: [string, () => Promise<void>][] = [];
  suite({
    describe: (_name, body) => body(),
    it: (name, body) => {
      tests.push([name, body]);
    },
  });
  const passed: string[] = [];
  const failed: [string, string][] = [];
  for (const [name, body] of tests)
    try {
      await body();
      passed.push(name);
    } catch (error) {
      failed.push([name, error instanceof Error ? error.message : String(error)]);
    }
  return { passed, failed };
}

/** Names of the tests that fail. */
export async function failuresOf(suite: (api: TestApi) => void): Promise<readonly string[]> {
  return (await outcomeOf(suite)).failed.map(([name]) => name);
}
