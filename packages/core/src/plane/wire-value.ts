import type { JsonMembers, UnknownField } from "./json-members.ts";

/** Known members, then those we do not know, as RawJson so that they are written back unchanged. */
export function withUnknown<T extends object>(known: T, members: JsonMembers): T {
  const unknown: readonly UnknownField[] = members.rest();
  if (unknown.length === 0) return Object.freeze(known);
  // without a prototype, since any name may come
  const all: Record<string, unknown> = Object.assign(Object.create(null), known);
  for (const [name, value] of unknown) if (!Object.hasOwn(known, name)) all[name] = value;
  return Object.freeze(all) as T;
}
