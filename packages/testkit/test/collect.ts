import type { TestApi } from "@muster/testkit";

/**
 * Runs a suite by itself, or one test of it, and gives the names of those of its tests that fail; a
 * name that no test has counts as no failure.
 */
export async function failuresOf(
  suite: (api: TestApi) => void,
  only?: string,
): Promise<readonly string[]> {
  const tests: [string, () => Promise<void>][] = [];
  suite({
    describe: (_name, body) => body(),
    it: (name, body) => {
      if (only === undefined || name === only) tests.push([name, body]);
    },
  });
  const failed: string[] = [];
  for (const [name, body] of tests)
    try {
      await body();
    } catch {
      // why does not matter here: the suite's message is for its users
      failed.push(name);
    }
  return failed;
}
