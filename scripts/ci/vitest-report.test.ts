import { expect, it } from "vitest";
import type { Counts } from "./steps.ts";
import { readReport, type VitestReport } from "./vitest-report.ts";

function report(statuses: string[], success: boolean): VitestReport {
  const assertionResults = statuses.map((status, index) => ({ status, fullName: `test ${index}` }));
  const numbers = (status: string): number => statuses.filter((other) => other === status).length;
  return {
    success,
    numPassedTests: numbers("passed"),
    numFailedTests: numbers("failed"),
    testResults: [{ name: "a.test.ts", assertionResults }],
  };
}

function read(statuses: string[], success = true): Counts[] {
  const counts: Counts[] = [];
  readReport(report(statuses, success), (counted) => counts.push(counted));
  return counts;
}

it("counts a green run", () => {
  expect(read(["passed", "passed"])).toEqual([{ passed: 2, failed: 0 }]);
});

it.each([
  ["a failed test", ["passed", "failed"], false, "1 tests failed"],
  ["a file that does not load", ["passed"], false, "0 tests failed"],
  ["a skipped test", ["passed", "pending"], true, "skipped in CI: test 1"],
  ["no test at all", [], true, "no test was run"],
])("fails on %s", (_, statuses, success, message) => {
  expect(() => read(statuses, success)).toThrow(message);
});
