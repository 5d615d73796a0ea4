/** How many tests a step ran, beside the step itself. */
export interface Counts {
  passed: number;
  failed: number;
}

/** One thing that CI checks. */
export interface Step {
  name: string;
  /** Steps without whose success this one says nothing. */
  needs?: readonly string[];
  /** Rejects when the check fails; a step that runs tests tells how many through `count`. */
  run(count: (counts: Counts) => void): unknown;
}

/**
 * Runs steps one after another, each with its name and duration; a failure does not stop the steps
 * that do not need it.
 *
 * @returns passed and failed, tests and steps together
 */
export async function runSteps(
  steps: readonly Step[],
  print: (line: string) => void,
): Promise<Counts> {
  const succeeded = new Set<string>();
  const total = { passed: 0, failed: 0 };
  const verdicts: string[] = [];
  for (const step of steps) {
    print(`\n=== ${step.name}`);
    const started = performance.now();
    const problem = await tryStep(step, succeeded, total);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const verdict =
      problem === undefined ? `ok     ${step.name}` : `FAILED ${step.name}: ${problem}`;
    if (problem === undefined) succeeded.add(step.name);
    total[problem === undefined ? "passed" : "failed"] += 1;
    verdicts.push(`${verdict} (${seconds} s)`);
    print(`--- ${verdicts.at(-1)}`);
  }
  print(`\n${verdicts.join("\n")}\n`);
  print(`${total.passed} passed, ${total.failed} failed`);
  return total;
}

async function tryStep(
  step: Step,
  succeeded: ReadonlySet<string>,
  total: Counts,
): Promise<string | undefined> {
  const missing = step.needs?.filter((name) => !succeeded.has(name)) ?? [];
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  try {
    await step.run(({ passed, failed }) => {
      total.passed += passed;
      total.failed += failed;
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
