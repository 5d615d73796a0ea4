import { closeBrace, comma, isBlank, nameEnd, openBrace, quote, skipBlanks } from "./characters.ts";
import { type LabelSet, noLabels, readLabels } from "./label-set.ts";
import type { PageText } from "./page-text.ts";
import { readString, type StringLiteral } from "./string-literal.ts";

/** The metric name at `start`, bare or quoted; `undefined` when there is none. */
export function readMetricName(
  page: PageText,
  start: number,
  end: number,
): StringLiteral | undefined {
  if (page.text.charCodeAt(start) === quote) {
    const name = readString(page, start, end);
    return name?.value === "" ? undefined : name;
  }
  const stop = nameEnd(page.text, start, true);
  return stop === start ? undefined : { value: page.copy(start, stop), end: stop };
}

/**
 * The name a sample line begins with: `name`, or `{"name"` as Prometheus 3 writes names that hold other
 * characters. `end` is where the labels, or the value, follow.
 */
export function readSeriesName(
  page: PageText,
  start: number,
  end: number,
): StringLiteral | undefined {
  const { text } = page;
  if (text.charCodeAt(start) !== openBrace) return readMetricName(page, start, end);
  const at = skipBlanks(text, start + 1);
  return text.charCodeAt(at) === quote ? readMetricName(page, at, end) : undefined;
}

/** Reads the labels that follow the name of a series; `undefined` when they are malformed. */
export function readSeriesLabels(
  page: PageText,
  line: { readonly start: number; readonly end: number },
  nameStop: number,
): LabelSet | undefined {
  const { text } = page;
  const at = skipBlanks(text, nameStop);
  const next = text.charCodeAt(at);
  if (text.charCodeAt(line.start) === openBrace) {
    if (next === comma) return readLabels(page, at + 1, line.end);
    return next === closeBrace ? { labels: noLabels, end: at + 1 } : undefined;
  }
  if (next === openBrace) return readLabels(page, at + 1, line.end);
  // the blank belongs to it: without one, what follows would be part of the name
  return isBlank(text.charCodeAt(nameStop)) ? { labels: noLabels, end: nameStop + 1 } : undefined;
}
