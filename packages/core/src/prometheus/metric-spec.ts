import { MusterError } from "../errors.ts";
import type { Sample } from "./families.ts";

/** How long the text of a spec may be. */
const maxLength = 1024;

/** Names a metric and the labels its series must have; made by {@link parseMetricSpec}. */
export interface MetricSpec {
  /** The family to ask a page for. */
  readonly name: string;
  /** The names its samples may have: with and without `_total`, which depends on the page's format. */
  readonly sampleNames: readonly [string, string];
  /** An empty value asks for a series without the label. */
  readonly labels: readonly (readonly [name: string, value: string])[];
}

/**
 * Reads `name` or `name{label=value,...}`; quotes around a value are optional, and needed for one
 * with a comma, brace, quote or outer space. Equality is the only comparison.
 *
 * @throws MusterError CONFIG_INVALID, saying where the text stops making sense.
 */
export function parseMetricSpec(text: string): MetricSpec {
  if (text.length > maxLength)
    throw new MusterError("CONFIG_INVALID", `metric spec is longer than ${maxLength} characters`);
  const scanner = new Scanner(text);
  const name = scanner.take(/\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*/y, "a metric name");
  const labels = new Map<string, string>();
  if (scanner.skip("{")) {
    while (!scanner.skip("}")) {
      const label = scanner.take(/\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=/y, "label=value or }");
      if (labels.has(label)) throw scanner.error(`label ${label} once only`);
      labels.set(label, scanner.value());
      if (!scanner.skip(",") && !scanner.sees("}")) throw scanner.error(", or }");
    }
  }
  if (!scanner.atEnd) throw scanner.error(labels.size === 0 ? "{ or the end" : "the end");
  const base = name.endsWith("_total") ? name.slice(0, -"_total".length) : name;
  return Object.freeze({
    name,
    sampleNames: Object.freeze([base, `${base}_total`] as const),
    labels: Object.freeze([...labels].map((pair) => Object.freeze(pair))),
  });
}

/** Whether a sample of the spec's family is one that the spec means. */
export function matchesMetricSpec(spec: MetricSpec, sample: Sample): boolean {
  const [base, total] = spec.sampleNames;
  if (sample.name !== base && sample.name !== total) return false;
  for (const [label, value] of spec.labels)
    if ((sample.labels[label] ?? "") !== value) return false;
  return true;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#text.slice(this.#at).trim() === "";
  }

  sees(character: string): boolean {
    return this.#text.slice(this.#at).trimStart().startsWith(character);
  }

  skip(character: string): boolean {
    if (!this.sees(character)) return false;
    this.#at = this.#text.indexOf(character, this.#at) + 1;
    return true;
  }

  /** What the first group of a sticky expression matches here. */
  take(expression: RegExp, wanted: string): string {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#text);
    if (match?.[1] === undefined) throw this.error(wanted);
    this.#at = expression.lastIndex;
    return match[1];
  }

  value(): string {
    if (!this.sees('"'))
      // =~ of PromQL would otherwise be taken for a value that starts with ~
      return this.take(/\s*([^\s,{}"~](?:[^,{}"]*[^\s,{}"])?)/y, "a value; only = is understood");
    const quoted = this.take(/\s*("(?:[^"\\]|\\.)*")/y, "a closing quote");
    return quoted.slice(1, -1).replace(/\\(.)/g, (_, escaped: string) => {
      return escaped === "n" ? "\n" : escaped;
    });
  }

  error(wanted: string): MusterError {
    const rest = this.#text.slice(this.#at).trim();
    return new MusterError(
      "CONFIG_INVALID",
      `metric spec ${JSON.stringify(this.#text)}: expected ${wanted} at ${rest === "" ? "the end" : JSON.stringify(rest)}`,
    );
  }
}
