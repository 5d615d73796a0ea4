import { expect, it } from "vitest";
import type { Counts } from "./steps.ts";
import { readReport, type VitestReport } from "./vitest-report.ts";

function report(
  statuses: string[],
  success: boolean,
  failures: Record<number, string> = {},
): VitestReport {
  const assertionResults = statuses.map((status, index) => ({
    status,
    fullName: `test ${index}`,
    failureMessages: failures[index] ? [failures[index]] : [],
  }));
  const numbers = (status: string): number => statuses.filter((other) => other === status).length;
  return {
    success,
    numPassedTests: numbers("passed"),
    numFailedTests: numbers("failed"),
    testResults: [{ name: "a.test.ts", message: "", assertionResults }],
  };
}

function read(of: VitestReport): { counts: Counts[]; lines: string[] } {
  const counts: Counts[] = [];
  const lines: string[] = [];
  readReport(
    of,
    (counted) => counts.push(counted),
    (line) => lines.push(line),
  );
  return { counts, lines };
}

it("counts a green run", () => {
  expect(read(report(["passed", "passed"], true))).toEqual({
    counts: [{ passed: 2, failed: 0 }],
    lines: [],
  });
});

it("tells which tests passed only when they were tried again, and why they had failed", () => {
  const { lines } = read(report(["passed", "passed"], true, { 1: "Error: too late" }));
  expect(lines).toEqual(["passed at the second try: test 1\nError: too late"]);
});

it("names what failed and why", () => {
  const of = report(["passed", "failed"], false, { 1: "Error: gone" });
  expect(() => read(of)).toThrow("1 tests failed\n  a.test.ts: test 1: Error: gone");
});

it("names the file that does not load", () => {
  const of = report(["passed"], false);
  for (const file of of.testResults) file.message = "no such module";
  expect(() => read(of)).toThrow("0 tests failed\n  a.test.ts: no such module");
});

it.each([
  ["a skipped test", ["passed", "pending"], true, "skipped in CI: test 1"],
  ["no test at all", [], true, "no test was run"],
])("fails on %s", (_, statuses, success, message) => {
  expect(() => read(report(statuses, success))).toThrow(message);
});
