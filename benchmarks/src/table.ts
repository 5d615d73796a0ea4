import type { Figure } from "./measure.ts";

/** One row: what was measured and its columns. */
export type Row = Readonly<Record<string, string | number>>;

/** What a benchmark gives: rows for the table, and floors it must keep. */
export interface Report {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
}

/** A promise about figures, held or not in this run. */
export interface Check {
  readonly what: string;
  readonly held: boolean;
}

/** The report as aligned text. */
export function formatReport({ name, rows, checks }: Report): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
  const verdicts = checks.map(({ what, held }) => `${held ? "held  " : "MISSED"}  ${what}`);
  return [`\n## ${name}`, ...lines, ...verdicts, ""].join("\n");
}

/** `12.3 (11.9-14.0)`: median and spread. */
export function show({ median, min, max }: Figure): string {
  return `${round(median)} (${round(min)}-${round(max)})`;
}

/** Three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}
