import type { EventScope } from "./event-types.ts";
import { encodeSegment } from "./path-segment.ts";
import { type RecordReader, readRecord } from "./record-reader.ts";
import { stringifyJson } from "./stringify-json.ts";
import { withUnknown } from "./wire-value.ts";

/** Scopes that were checked and are frozen through and through: ids share their instance's. */
const copies = new WeakSet<EventScope>();

/** The names of a scope, from the widest: `[ns]`, `[ns, component]`, `[ns, component, endpoint]`. */
export function scopeNames(scope: EventScope): readonly string[] {
  switch (scope.kind) {
    case "namespace":
      return [scope.name];
    case "component":
      return [scope.namespace, scope.component];
    case "endpoint":
      return [scope.endpoint.namespace, scope.endpoint.component, scope.endpoint.name];
  }
}

/** The scope of one to three names. */
export function scopeOf(
  namespace: string,
  component?: string | undefined,
  name?: string | undefined,
): EventScope {
  if (component === undefined) return Object.freeze({ kind: "namespace", name: namespace });
  if (name === undefined) return Object.freeze({ kind: "component", namespace, component });
  const endpoint = Object.freeze({ namespace, component, name });
  return Object.freeze({ kind: "endpoint", endpoint });
}

const labels = ["namespace", "component", "endpoint"];

/** A scope as keys begin: `namespace/X[/component/Y[/endpoint/Z]]`, encoded. */
export function scopePath(scope: EventScope): string {
  return scopeNames(scope)
    .map((name, index) => `${labels[index]}/${encodeSegment(name)}`)
    .join("/");
}

/** The subject that events of a scope and topic begin with: `namespace.X[…].topic`, encoded. */
export function eventSubject(scope: EventScope, topic: string): string {
  const names = scopeNames(scope).map((name, index) => `${labels[index]}.${encodeSegment(name)}`);
  return [...names, encodeSegment(topic)].join(".");
}

/** Whether two scopes are the same; a wider scope includes nothing. */
export function equalScope(a: EventScope, b: EventScope): boolean {
  if (a.kind !== b.kind) return false;
  const names = scopeNames(b);
  return scopeNames(a).every((name, index) => name === names[index]);
}

/** Reads `scope` of an event record. */
export function readScope(record: RecordReader): EventScope {
  const fields = record.object("scope");
  const kind = fields.string("kind");
  switch (kind) {
    case "namespace":
      return withUnknown({ kind, name: fields.string("name") }, fields.members);
    case "component": {
      const namespace = fields.string("namespace");
      return withUnknown(
        { kind, namespace, component: fields.string("component") },
        fields.members,
      );
    }
    case "endpoint": {
      const inner = fields.object("endpoint");
      const endpoint = {
        namespace: inner.string("namespace"),
        component: inner.string("component"),
        name: inner.string("name"),
      };
      return withUnknown({ kind, endpoint: withUnknown(endpoint, inner.members) }, fields.members);
    }
    default:
      throw record.fail("scope.kind", `must be namespace, component or endpoint, not "${kind}"`);
  }
}

/** Reads the scope of a record written before scopes (≤ 1.2): `component` is empty for a namespace. */
export function readLegacyScope(record: RecordReader): EventScope {
  const namespace = record.string("namespace");
  const component = record.string("component");
  return component === "" ? scopeOf(namespace) : scopeOf(namespace, component);
}

/** A frozen copy of a scope, in the order of the wire; PLANE_RECORD when it is none. */
export function copyScope(scope: EventScope): EventScope {
  if (copies.has(scope)) return scope;
  const copy = readScope(readRecord(stringifyJson({ scope })));
  copies.add(copy);
  return copy;
}
