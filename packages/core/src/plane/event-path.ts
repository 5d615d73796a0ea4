import { scopeOf, scopePath } from "./event-scope.ts";
import type { EventScope } from "./event-types.ts";
import { decodeSegment, encodeSegment } from "./path-segment.ts";
import { badPath } from "./plane-error.ts";
import { formatHexId, parseHexId } from "./u64.ts";

/** What the key of an event record says. */
export interface EventPath {
  readonly scope: EventScope;
  readonly topic: string;
  readonly id: bigint;
}

const labels = ["namespace", "component", "endpoint"];

/** `namespace/X[/component/Y[/endpoint/Z]]/topic/T/{id:x}`. */
export function formatEventPath({ scope, topic, id }: EventPath): string {
  return `${scopePath(scope)}/topic/${encodeSegment(topic)}/${formatHexId(id)}`;
}

/** Reads what {@link formatEventPath} writes: exactly 5, 7 or 9 parts. PLANE_PATH otherwise. */
export function parseEventPath(kind: string, path: string): EventPath {
  const parts = path.split("/");
  if (![5, 7, 9].includes(parts.length))
    throw badPath(kind, path, `expected 5, 7 or 9 parts, got ${parts.length}`);
  const id = parseHexId(parts.pop() ?? "");
  if (id === undefined) throw badPath(kind, path, "the last part is no hexadecimal id");
  const values: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const label = at === parts.length - 2 ? "topic" : labels[at / 2];
    if (parts[at] !== label) throw badPath(kind, path, `part ${at + 1} must be "${label}"`);
    const value = decodeSegment(parts[at + 1] ?? "");
    if (value === undefined)
      throw badPath(kind, path, `part ${at + 2} is not encoded as it must be`);
    values.push(value);
  }
  const topic = values.pop() ?? "";
  const [namespace = "", component, name] = values;
  return { scope: scopeOf(namespace, component, name), topic, id };
}
