import type { KindName } from "../../plane/kinds.ts";
import type { StoredRecord } from "../../plane/records.ts";
import { printable } from "../printable.ts";
import { nameParts, valueParts } from "./describe.ts";

const place = ["NAMESPACE", "COMPONENT", "ENDPOINT", "INSTANCE"] as const;

const headings: Readonly<Record<KindName, readonly string[]>> = {
  endpoints: [...place, "TRANSPORT", "DEVICE"],
  models: [...place, "MODEL", "SUFFIX"],
  "event-channels": ["SCOPE", "TOPIC", "INSTANCE", "TRANSPORT"],
  "event-sources": ["SCOPE", "TOPIC", "INSTANCE", "METADATA"],
};

/** Longest text of a column, characters. */
const maxCell = 100;

/** Records as aligned tables, one for each kind that has any, each under its name. */
export function recordTables(records: readonly StoredRecord[]): string {
  const byKind = new Map<KindName, string[][]>();
  for (const { kind, instance } of records) {
    const rows = byKind.get(kind) ?? [[...headings[kind]]];
    rows.push([...nameParts(instance), ...valueParts(instance)].map(cellOf));
    byKind.set(kind, rows);
  }
  return [...byKind].map(([kind, rows]) => `${kind}\n${table(rows)}`).join("\n");
}

/** One long text would make every row of its column as long: `--json` has all of it. */
function cellOf(text: string): string {
  const start = [...text.slice(0, 2 * maxCell + 1)];
  if (start.length <= maxCell) return printable(text);
  return `${printable(start.slice(0, maxCell - 1).join(""))}…`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - [...cell].length))
      .join("  ")
      .trimEnd();
  return rows.map((row) => `  ${line(row)}\n`).join("");
}
