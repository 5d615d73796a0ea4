import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Reporter, TestCase } from "vitest/node";
import type { Counts } from "./steps.ts";

/** What CI wants to know of a run of vitest. */
export interface TestsReport {
  readonly passed: number;
  /** Names, each with why it failed. */
  readonly failed: readonly string[];
  /** Passed when they were tried again; why they had failed. */
  readonly retried: readonly string[];
  readonly skipped: readonly string[];
  /** Files that did not load, and errors that no test caught. */
  readonly errors: readonly string[];
}

/** Environment variable with the file that {@link ReportWriter} writes. */
export const reportVariable = "MUSTER_TESTS_REPORT";

/** A reporter of vitest: leaves a {@link TestsReport} behind. */
export default class ReportWriter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandled) => {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const all = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const inState = (state: string): TestCase[] =>
      tests.filter((test) => test.result().state === state);
    const report: TestsReport = {
      passed: inState("passed").length,
      failed: inState("failed").map(told),
      retried: tests.filter((test) => test.diagnostic()?.flaky).map(told),
      skipped: [...inState("skipped"), ...inState("pending")].map(nameOf),
      errors: [
        ...all.flatMap((of) => of.errors().map((error) => `${of.project.name}: ${textOf(error)}`)),
        ...unhandled.map(textOf),
      ],
    };
    writeFileSync(process.env[reportVariable] ?? "tests.json", JSON.stringify(report));
  };
}

/**
 * Counts a report, and says which tests passed only when they were tried again.
 *
 * @throws Error naming what failed, or what was skipped: in CI everything a test needs is there
 */
export function judgeTests(
  { passed, failed, retried, skipped, errors }: TestsReport,
  count: (counts: Counts) => void,
  print: (line: string) => void,
): void {
  count({ passed, failed: failed.length });
  for (const test of retried) print(`passed at the second try: ${test}`);
  if (failed.length > 0 || errors.length > 0)
    throw new Error(`${failed.length} tests failed\n  ${[...failed, ...errors].join("\n  ")}`);
  if (skipped.length > 0) throw new Error(`skipped in CI: ${skipped.join("; ")}`);
  if (passed === 0) throw new Error("no test was run");
}

function nameOf(test: TestCase): string {
  return `${join(test.project.name, test.module.relativeModuleId)} > ${test.fullName}`;
}

function told(test: TestCase): string {
  return [nameOf(test), ...(test.result().errors ?? []).map(textOf)].join("\n    ");
}

/** What went wrong and where, without the frames of the test runner. */
function textOf({ stack, message }: { stack?: string; message: string }): string {
  const lines = (stack || message).split("\n");
  return lines.filter((line) => !/^ +at .*(node_modules|node:internal)/.test(line)).join("\n");
}
