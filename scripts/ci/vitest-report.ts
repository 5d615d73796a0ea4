import type { Counts } from "./steps.ts";

/** The part of vitest's JSON report that CI reads. */
export interface VitestReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/**
 * Counts a report.
 *
 * @throws Error when the run failed, or when a test was skipped: in CI everything a test needs is there
 */
export function readReport(report: VitestReport, count: (counts: Counts) => void): void {
  count({ passed: report.numPassedTests, failed: report.numFailedTests });
  if (!report.success) throw new Error(`${report.numFailedTests} tests failed`);
  const skipped = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== "passed")
    .map(({ fullName }) => fullName);
  if (skipped.length > 0) throw new Error(`skipped in CI: ${skipped.join("; ")}`);
  if (report.numPassedTests === 0) throw new Error("no test was run");
}
