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

/** Whether both hold the same members, in any order. */
export function equalUnknownFields(
  a: readonly UnknownField[],
  b: readonly UnknownField[],
): boolean {
  if (a.length !== b.length) return false;
  if (a.length === 0) return true;
  const others = new Map(b);
  return a.every(([name, value]) => {
    const other = others.get(name);
    return other !== undefined && value.equals(other);
  });
}
