import type { KeyValueStore } from "@muster/core/plane";

const written = /* @__PURE__ */ new WeakMap<KeyValueStore, Set<string>>();

/**
 * Keys of the ids that were registered through a store object, by whichever plane on it. Whatever else
 * has its id is left from an earlier life.
 */
export function writtenThrough(store: KeyValueStore): Set<string> {
  let keys = written.get(store);
  if (keys === undefined) {
    keys = new Set();
    written.set(store, keys);
  }
  return keys;
}
