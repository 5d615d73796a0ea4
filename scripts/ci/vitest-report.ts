import type { Counts } from "./steps.ts";

/** The part of vitest's JSON report that CI reads. */
export interface VitestReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    /** Why the file did not load. */
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/**
 * Counts a report, and says which tests passed only when they were tried again.
 *
 * @throws Error naming what failed, or what was skipped: in CI everything a test needs is there
 */
export function readReport(
  report: VitestReport,
  count: (counts: Counts) => void,
  print: (line: string) => void,
): void {
  count({ passed: report.numPassedTests, failed: report.numFailedTests });
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  for (const { status, fullName, failureMessages } of tests)
    if (status === "passed" && failureMessages.length > 0)
      print(`passed at the second try: ${fullName}\n${failureMessages.join("\n")}`);

  const broken = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === "failed")
      .map((test) => `${name}: ${test.fullName}: ${test.failureMessages[0] ?? ""}`),
  ]);
  if (!report.success || broken.length > 0)
    throw new Error([`${report.numFailedTests} tests failed`, ...broken].join("\n  "));
  const skipped = tests.filter(({ status }) => status !== "passed");
  if (skipped.length > 0)
    throw new Error(`skipped in CI: ${skipped.map(({ fullName }) => fullName).join("; ")}`);
  if (report.numPassedTests === 0) throw new Error("no test was run");
}
