import type { ApiObject } from "./api-object.ts";
import { badRequest } from "./status.ts";

/** Whether an object is selected. */
export type Selector = (object: ApiObject) => boolean;

type Labels = Readonly<Record<string, string>>;

/** Both selectors of a list or watch. @throws StatusError 400 */
export function selectorOf(query: URLSearchParams): Selector {
  const byLabels = labelSelector(query.get("labelSelector") ?? "");
  const byFields = fieldSelector(query.get("fieldSelector") ?? "");
  return (object) => byLabels(object) && byFields(object);
}

function labelSelector(text: string): Selector {
  const requirements = splitOutsideParentheses(text).map(requirement);
  return ({ metadata }) => requirements.every((holds) => holds(metadata.labels ?? {}));
}

/** Commas within `in (a,b)` do not separate requirements. */
function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function requirement(text: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set) return inSet(set[1] ?? "", set[2] === "in", (set[3] ?? "").split(","));
  const comparison = /^([^!=\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(text);
  if (comparison) return inSet(comparison[1] ?? "", comparison[2] !== "!=", [comparison[3] ?? ""]);
  const exists = /^(!?)\s*([^!=\s()]+)$/.exec(text);
  if (!exists) throw badRequest(`unable to parse requirement: ${text}`);
  const [, not, key = ""] = exists;
  return (labels) => Object.hasOwn(labels, key) === (not !== "!");
}

/** A label that is not there is in no set, and outside of every one. */
function inSet(key: string, wanted: boolean, list: readonly string[]): (labels: Labels) => boolean {
  const values = new Set(list.map((value) => value.trim()));
  return (labels) => (Object.hasOwn(labels, key) && values.has(labels[key] ?? "")) === wanted;
}

const fields: Readonly<Record<string, (object: ApiObject) => unknown>> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  "status.phase": ({ status }) => (status as { phase?: unknown } | undefined)?.phase,
  "spec.nodeName": ({ spec }) => (spec as { nodeName?: unknown } | undefined)?.nodeName,
};

function fieldSelector(text: string): Selector {
  const requirements = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const [, name = "", operator, value = ""] = /^([^!=]+)(==|=|!=)(.*)$/.exec(part) ?? [];
      const read = fields[name];
      if (!read) throw badRequest(`field label not supported: ${name || part}`);
      return (object: ApiObject) => (String(read(object) ?? "") === value) === (operator !== "!=");
    });
  return (object) => requirements.every((holds) => holds(object));
}
