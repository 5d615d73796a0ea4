/**
 * Freezes what a JSON reader made, through and through, so that nobody who shares it can change it for
 * others. Without recursion: an object may nest deeper than the stack reaches.
 */
export function deepFreeze<T extends object>(root: T): T {
  const open: object[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // such data has no enumerable property but its own; `in` makes no list of them
    for (const key in next) {
      const value = (next as Readonly<Record<string, unknown>>)[key];
      if (typeof value === "object" && value !== null) open.push(value);
    }
    Object.freeze(next);
  }
  return root;
}
