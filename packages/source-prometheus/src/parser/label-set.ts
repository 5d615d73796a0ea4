import { closeBrace, comma, equals, nameEnd, quote, skipBlanks } from "./characters.ts";
import type { PageText } from "./page-text.ts";
import { readString, type StringLiteral } from "./string-literal.ts";

/** Labels as in a Sample. */
export type Labels = Readonly<Record<string, string>>;

/** The labels of a series without any. */
export const noLabels: Labels = Object.freeze(Object.create(null));

/** Labels and the position after their closing brace. */
export interface LabelSet {
  readonly labels: Labels;
  readonly end: number;
}

/**
 * Reads labels from after the opening brace; `undefined` when they are malformed or a name comes twice.
 * Blanks and a trailing comma are free; a name may be quoted (Prometheus 3); empty values are left out.
 */
export function readLabels(page: PageText, start: number, end: number): LabelSet | undefined {
  const { text } = page;
  const labels: Record<string, string> = Object.create(null);
  const empty = new Set<string>();
  let at = skipBlanks(text, start);
  while (text.charCodeAt(at) !== closeBrace) {
    const name = readLabelName(page, at, end);
    if (name === undefined) return undefined;
    at = skipBlanks(text, name.end);
    if (text.charCodeAt(at) !== equals) return undefined;
    const value = readString(page, skipBlanks(text, at + 1), end);
    if (value === undefined || name.value in labels || empty.has(name.value)) return undefined;
    if (value.value === "") empty.add(name.value);
    else labels[name.value] = value.value;
    at = skipBlanks(text, value.end);
    if (text.charCodeAt(at) === comma) at = skipBlanks(text, at + 1);
    else if (text.charCodeAt(at) !== closeBrace) return undefined;
  }
  return { labels: Object.freeze(labels), end: at + 1 };
}

function readLabelName(page: PageText, start: number, end: number): StringLiteral | undefined {
  if (page.text.charCodeAt(start) === quote) {
    const name = readString(page, start, end);
    return name?.value === "" ? undefined : name;
  }
  const stop = nameEnd(page.text, start, false);
  return stop === start ? undefined : { value: page.copy(start, stop), end: stop };
}
