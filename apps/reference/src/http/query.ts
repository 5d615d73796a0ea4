import { type FreshnessState, MusterError } from "@muster/core";
import type { EndpointFilter } from "@muster/runtime";

const states: readonly FreshnessState[] = ["pending", "fresh", "stale", "unreachable", "unpolled"];
const known: readonly string[] = ["state", "label", "model"];
const maxValue = 512;

/**
 * Reads `?state=&label=k=v&model=`; `state` and `label` may be repeated.
 *
 * @throws MusterError BAD_REQUEST naming the parameter.
 */
export function parseFilter(query: Readonly<Record<string, readonly string[]>>): EndpointFilter {
  for (const [name, values] of Object.entries(query)) {
    if (!known.includes(name)) throw bad(name, `is not a filter; there are ${known.join(", ")}`);
    if (values.some((value) => value.length > maxValue))
      throw bad(name, `is longer than ${maxValue} characters`);
  }
  const models = query.model ?? [];
  if (models.length > 1) throw bad("model", "may be given once");
  const wanted = (query.state ?? []).map(parseState);
  return {
    ...(wanted.length > 0 && { state: wanted }),
    ...(models[0] !== undefined && { model: models[0] }),
    ...(query.label !== undefined && { labels: parseLabels(query.label) }),
  };
}

/**
 * Refuses parameters where there are none, so that nobody takes everything for what was asked.
 *
 * @throws MusterError BAD_REQUEST naming the parameter.
 */
export function refuseParameters(query: Readonly<Record<string, readonly string[]>>): void {
  const [name] = Object.keys(query);
  if (name !== undefined) throw bad(name, "is not known here: this answer has no filters");
}

function parseState(text: string): FreshnessState {
  const state = states.find((candidate) => candidate === text);
  if (state !== undefined) return state;
  throw bad("state", `${JSON.stringify(text)} is none of ${states.join(", ")}`);
}

function parseLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  const labels: Record<string, string> = Object.create(null);
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at < 1) throw bad("label", `${JSON.stringify(text)} must be KEY=VALUE`);
    labels[text.slice(0, at)] = text.slice(at + 1);
  }
  return labels;
}

function bad(name: string, what: string): MusterError {
  return new MusterError("BAD_REQUEST", `parameter ${JSON.stringify(name.slice(0, 64))} ${what}`);
}
