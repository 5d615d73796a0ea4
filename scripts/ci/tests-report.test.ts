import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readJson, root } from "../workspace.ts";
import type { Counts } from "./steps.ts";
import { judgeTests, reportVariable, type TestsReport } from "./tests-report.ts";

let folder: string;

beforeEach(() => {
  mkdirSync(join(root, ".muster"), { recursive: true });
  folder = mkdtempSync(join(root, ".muster", "tests-report-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs vitest on one file as CI does. */
function report(code: string): TestsReport {
  const file = join(folder, "report.json");
  writeFileSync(join(folder, "vitest.config.mjs"), "export default { test: { globals: true } };");
  writeFileSync(join(folder, "a.test.mjs"), code);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporter = join(import.meta.dirname, "tests-report.ts");
  spawnSync(process.execPath, [vitest, "run", "--retry=1", `--reporter=${reporter}`], {
    cwd: folder,
    env: { ...process.env, VITEST: undefined, [reportVariable]: file },
  });
  return readJson<TestsReport>(file);
}

function judge(given: Partial<TestsReport>): { counts: Counts[]; lines: string[] } {
  const counts: Counts[] = [];
  const lines: string[] = [];
  const nothing = { passed: 0, failed: [], retried: [], skipped: [], errors: [] };
  judgeTests(
    { ...nothing, ...given },
    (counted) => counts.push(counted),
    (line) => lines.push(line),
  );
  return { counts, lines };
}

it("tells apart what passed, failed, passed at the second try, and was skipped", () => {
  const found = report(`
    it("passes", () => {});
    describe("of a suite", () => {
      it("fails", () => { throw new Error("gone"); });
      it.skip("is skipped", () => {});
    });
    let tries = 0;
    it("fails once", () => { if (tries++ === 0) throw new Error("too late"); });
  `);
  expect(found).toMatchObject({ passed: 2, errors: [] });
  expect(found.failed.join()).toMatch(/^a\.test\.mjs > of a suite > fails\n +Error: gone\n/);
  expect(found.retried.join()).toMatch(/^a\.test\.mjs > fails once\n +Error: too late\n/);
  expect(found.skipped).toEqual(["a.test.mjs > of a suite > is skipped"]);
});

it.each([
  ["a file that does not load", 'await import("./none.mjs");', /none\.mjs/],
  [
    "a set-up that fails",
    'beforeAll(() => { throw new Error("no server"); }); it("is not run", () => {});',
    /no server/,
  ],
  [
    "what no test caught",
    'it("passes", async () => { void Promise.reject(new Error("late")); await new Promise(setImmediate); });',
    /late/,
  ],
])("tells of %s", (_, code, error) => {
  expect(report(code).errors.join()).toMatch(error);
});

it("counts a green run", () => {
  expect(judge({ passed: 2 })).toEqual({ counts: [{ passed: 2, failed: 0 }], lines: [] });
});

it("names what passed only at the second try", () => {
  expect(judge({ passed: 1, retried: ["a: too late"] }).lines).toEqual([
    "passed at the second try: a: too late",
  ]);
});

it.each<[string, Partial<TestsReport>, string]>([
  ["a failed test", { passed: 1, failed: ["a: gone"] }, "1 tests failed\n  a: gone"],
  ["an error outside of tests", { passed: 1, errors: ["late"] }, "0 tests failed\n  late"],
  ["a skipped test", { passed: 1, skipped: ["b"] }, "skipped in CI: b"],
  ["no test at all", {}, "no test was run"],
])("fails on %s", (_, given, message) => {
  expect(() => judge(given)).toThrow(message);
});
