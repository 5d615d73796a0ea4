import type { ApiObject } from "./api-object.ts";
import type { ResourceType } from "./resource-types.ts";
import { badRequest } from "./status.ts";

/** Whether an object is selected. */
export type Selector = (object: ApiObject) => boolean;

type Labels = Readonly<Record<string, string>>;

/** Both selectors of a list or watch. @throws StatusError 400 */
export function selectorOf(type: ResourceType, query: URLSearchParams): Selector {
  const byLabels = labelSelector(query.get("labelSelector") ?? "");
  const byFields = fieldSelector(type, query.get("fieldSelector") ?? "");
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

type FieldReader = (object: ApiObject) => unknown;

const fields: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ["metadata.name", ({ metadata }) => metadata.name],
  ["metadata.namespace", ({ metadata }) => metadata.namespace],
]);

const podFields: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ["status.phase", ({ status }) => (status as { phase?: unknown } | undefined)?.phase],
  ["status.podIP", ({ status }) => (status as { podIP?: unknown } | undefined)?.podIP],
  ["spec.nodeName", ({ spec }) => (spec as { nodeName?: unknown } | undefined)?.nodeName],
]);

interface FieldRequirement {
  readonly name: string;
  readonly equal: boolean;
  readonly value: string;
}

function parseFields(text: string): FieldRequirement[] {
  const parts = text.split(",").filter((part) => part !== "");
  return parts.map((part) => {
    const [, name = "", operator, value = ""] = /^([^!=]+)(==|=|!=)(.*)$/.exec(part) ?? [];
    if (operator === undefined) throw badRequest(`invalid selector: "${part}"`);
    return { name, equal: operator !== "!=", value };
  });
}

function fieldSelector(type: ResourceType, text: string): Selector {
  const requirements = parseFields(text).map(({ name, equal, value }) => {
    const read = fields.get(name) ?? (type.kind === "Pod" ? podFields.get(name) : undefined);
    if (!read) throw badRequest(`field label not supported: ${name}`);
    return (object: ApiObject) => (String(read(object) ?? "") === value) === equal;
  });
  return (object) => requirements.every((holds) => holds(object));
}

/** The one name that a field selector leaves, which RBAC looks at; undefined: any. */
export function selectedName(query: URLSearchParams): string | undefined {
  const requirements = parseFields(query.get("fieldSelector") ?? "");
  return requirements.find(({ name, equal }) => name === "metadata.name" && equal)?.value;
}
