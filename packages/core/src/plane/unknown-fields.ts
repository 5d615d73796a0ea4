import type { UnknownField } from "./json-members.ts";

export type { UnknownField } from "./json-members.ts";

/** What every instance can carry beside its own fields. */
export interface UnknownFieldsInit {
  /** Members that this version does not know; written back after the known ones. Default none. */
  readonly unknownFields?: readonly UnknownField[] | undefined;
}

const none: readonly UnknownField[] = Object.freeze([]);

/** The fields as an instance keeps them. */
export function copyUnknownFields(fields: readonly UnknownField[] = none): readonly UnknownField[] {
  return Object.isFrozen(fields) ? fields : Object.freeze([...fields]);
}

/** Whether both hold the same members, in any order; of equal names the last counts. */
export function equalUnknownFields(
  a: readonly UnknownField[],
  b: readonly UnknownField[],
): boolean {
  if (a.length === 0 && b.length === 0) return true;
  const mine = new Map(a);
  const others = new Map(b);
  if (mine.size !== others.size) return false;
  for (const [name, value] of mine) {
    const other = others.get(name);
    if (other === undefined || !value.equals(other)) return false;
  }
  return true;
}
