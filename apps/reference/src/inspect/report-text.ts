import { formatPlain } from "@muster/core";
import { printable } from "../cli/printable.ts";
import type { InspectReport } from "./inspect-page.ts";

/** The report for people: one line per fact; of a page that gave nothing, why. */
export function reportText(report: InspectReport): string {
  const all = facts(report);
  const rows =
    report.error && !somethingRead(report)
      ? all.filter(([name]) => name === "skipped lines" && report.skipped > 0)
      : all;
  if (report.error) rows.push(["error", `${report.error.message} [${report.error.code}]`]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}\n`).join("");
}

/** Whether the page said anything that Muster understands. */
export function somethingRead({ engine, metrics }: InspectReport): boolean {
  return engine !== null || metrics.activeModels !== null;
}

function facts(report: InspectReport): [string, string][] {
  const { readAt: _readAt, updateTime: _updateTime, ...metrics } = report.metrics;
  return [
    ["engine", report.engine ?? "unknown"],
    ...Object.entries(metrics).map(([name, value]): [string, string] => [name, show(value)]),
    ...Object.entries(report.attributes).map(([name, value]): [string, string] => [
      `attribute ${name}`,
      show(value),
    ]),
    ["missing", report.missing.join(", ") || "nothing"],
    ["skipped lines", String(report.skipped)],
  ];
}

function show(value: unknown): string {
  return value === null ? "unknown" : formatPlain(value);
}
