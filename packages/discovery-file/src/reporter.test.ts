import { MusterError } from "@muster/core";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { expect, it } from "vitest";
import type { EndpointsFile } from "./endpoints-file.ts";
import { Reporter } from "./reporter.ts";

const make = () => {
  const logger = createRecordingLogger();
  const metrics = createRecordingMeter();
  const plugin = { type: "file-discovery", name: "mine" };
  const reporter = new Reporter({ plugin, file: "/e.yaml", logger, metrics });
  let taken = 0;
  const took = (): string[] => {
    const lines = logger.lines.slice(taken).map(({ level, message }) => `${level} ${message}`);
    taken = logger.lines.length;
    return lines;
  };
  return { reporter, metrics, took };
};

const problem = (line: number, message: string): MusterError =>
  new MusterError("DISCOVERY_ENTRY", message, { path: `/e.yaml:${line}:1` });

const file = (...problems: MusterError[]): EndpointsFile => ({
  endpoints: new Map(),
  invalid: new Set(),
  unnamed: problems.length,
  problems,
  omittedProblems: 0,
});

const nothing = { upserted: 0, deleted: 0 };

it("reports a problem when it comes, not again when its line moves", () => {
  const { reporter, took } = make();
  reporter.applied(file(problem(1, "x"), problem(2, "x")), nothing, 0);
  expect(took()).toEqual(["warn /e.yaml:1:1: x", "warn /e.yaml:2:1: x"]);
  reporter.applied(file(problem(5, "x"), problem(7, "x"), problem(9, "y")), nothing, 0);
  expect(took()).toEqual(["warn /e.yaml:9:1: y"]);
  reporter.applied(file(), nothing, 0);
  reporter.applied(file(problem(3, "x")), nothing, 0);
  expect(took()).toEqual(["warn /e.yaml:3:1: x"]);
});

it("logs 20 problems of one content, and how many more there are", () => {
  const { reporter, took } = make();
  const problems = Array.from({ length: 50 }, (_, index) => problem(index, `p${index}`));
  reporter.applied({ ...file(...problems), omittedProblems: 7 }, nothing, 0);
  const lines = took();
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe("warn 37 more problems in the endpoints file");
});

it("reports a failure once, its change, and its end", () => {
  const { reporter, took, metrics } = make();
  const empty = new MusterError("DISCOVERY_TRUNCATED", "empty", { path: "/e.yaml" });
  reporter.failed(empty);
  reporter.failed(empty);
  expect(took()).toEqual(["error /e.yaml: empty; the last good endpoints are kept"]);
  reporter.failed(new MusterError("DISCOVERY_READ", "gone", { path: "/e.yaml" }));
  expect(took()).toHaveLength(1);
  reporter.applied(file(), { upserted: 1, deleted: 2 }, 3);
  expect(took()).toEqual([
    "info the endpoints file can be used again",
    "info endpoints changed by file",
  ]);
  reporter.applied(file(), nothing, 3);
  expect(took()).toEqual([]);
  expect(metrics.value("muster_discovery_file_reads_total", { discovery: "mine" })).toBe(5);
});

it("takes its gauge away at the end", () => {
  const { reporter, metrics } = make();
  reporter.applied(file(problem(1, "x")), nothing, 0);
  expect(metrics.value("muster_discovery_file_invalid_entries")).toBe(1);
  reporter.close();
  expect(metrics.value("muster_discovery_file_invalid_entries")).toBeUndefined();
});
