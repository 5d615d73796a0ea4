import type { MetricType } from "@muster/core/prometheus";
import { isBlank, skipBlanks, tokenEnd } from "./characters.ts";
import type { FamilyBuilder } from "./family-builder.ts";
import type { PageText } from "./page-text.ts";
import { undoEscapes } from "./string-literal.ts";

/** The comments that mean something; `EOF` only in OpenMetrics. */
export type Keyword = "HELP" | "TYPE" | "UNIT" | "EOF";

/** What a HELP, TYPE or UNIT line says of a name. */
export interface Metadata {
  readonly keyword: Keyword;
  readonly name: string;
  readonly text: string;
}

/** `untyped` is the text format's word for OpenMetrics' `unknown`. */
const types: ReadonlyMap<string, MetricType> = new Map<string, MetricType>([
  ["counter", "counter"],
  ["gauge", "gauge"],
  ["histogram", "histogram"],
  ["gaugehistogram", "gaugehistogram"],
  ["summary", "summary"],
  ["info", "info"],
  ["stateset", "stateset"],
  ["unknown", "unknown"],
  ["untyped", "unknown"],
]);

const keywords: ReadonlyMap<number, Keyword> = new Map(
  (["HELP", "TYPE", "UNIT", "EOF"] as const).map((word) => [word.charCodeAt(0), word]),
);

/** The keyword that a comment's text begins with at `start`; `undefined` for ordinary comments. */
export function keywordAt(text: string, start: number, end: number): Keyword | undefined {
  const word = keywords.get(text.charCodeAt(start));
  if (word === undefined || !text.startsWith(word, start)) return undefined;
  const stop = start + word.length;
  return stop === end || isBlank(text.charCodeAt(stop)) ? word : undefined;
}

/** Reads what follows the name on a metadata line; `undefined` when it is malformed. */
export function readMetadata(
  page: PageText,
  line: { readonly keyword: Keyword; readonly name: string },
  range: { readonly start: number; readonly end: number },
): Metadata | undefined {
  const { start, end } = range;
  // a name is followed by a blank, or by nothing
  if (start < end && tokenEnd(page.text, start, end) !== start) return undefined;
  const raw = page.copy(Math.min(skipBlanks(page.text, start), end), end);
  if (line.keyword !== "TYPE") return { ...line, text: undoEscapes(raw) };
  const type = types.get(raw.trimEnd().toLowerCase());
  return type === undefined ? undefined : { ...line, text: type };
}

/** Adds metadata to the families of a page. */
export function applyMetadata(builder: FamilyBuilder, metadata: Metadata): void {
  const { name, keyword, text } = metadata;
  if (keyword === "HELP") builder.help(name, text);
  else if (keyword === "UNIT") builder.unit(name, text);
  else builder.type(name, types.get(text) ?? "unknown");
}
