/** How deep plain data may nest; core refuses to store anything deeper. */
const maxDepth = 32;

/** Whether two pieces of plain data are the same through and through; anything else is not. */
export function equalPlain(a: unknown, b: unknown, depth: number = maxDepth): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth === 0 || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return equalItems(a, b, depth - 1);
  return equalRecords(a as Record<string, unknown>, b as Record<string, unknown>, depth - 1);
}

function equalItems(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++)
    if (!equalPlain(a[index], b[index], depth)) return false;
  return true;
}

function equalRecords(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys)
    if (!Object.hasOwn(b, key) || !equalPlain(a[key], b[key], depth)) return false;
  return true;
}
