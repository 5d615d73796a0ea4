import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import { maxKeys, maxMergeDepth, maxMerged } from "./limits.ts";
import type { NodeResolver, Resolved } from "./nodes.ts";
import type { Place } from "./problems.ts";

/** One key of a map. */
export interface Field {
  /** `undefined` for null. */
  readonly value: Resolved;
  readonly keyPlace: Place;
  readonly valuePlace: Place;
}

/** The keys of a map, merged ones included. A Map, since keys are outside text. */
export type Fields = ReadonlyMap<string, Field>;

/** What reading the keys of a map needs. */
export interface FieldsContext {
  readonly nodes: NodeResolver;
  /** Told of each key that cannot be used; `key` is empty when it is no scalar. */
  report(key: string, place: Place, message: string): void;
  lineOf(offset: number): number;
}

/** Reads the keys of a map, with `<<` as YAML 1.1 defines it: keys of the map itself win. */
export function readFields(map: YAMLMap, path: string, context: FieldsContext): Fields {
  return new FieldReader(context).read(map, path, 0);
}

/** Where a node starts. */
export function placeOf(node: unknown, path: string, fallback = 0): Place {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  return { offset: range?.[0] ?? fallback, path };
}

class FieldReader {
  readonly #context: FieldsContext;

  constructor(context: FieldsContext) {
    this.#context = context;
  }

  read(map: YAMLMap, path: string, depth: number): Map<string, Field> {
    const fields = new Map<string, Field>();
    if (map.items.length > maxKeys) {
      this.#context.report("", placeOf(map, path), `more than ${maxKeys} keys`);
      return fields;
    }
    const merges: Pair[] = [];
    for (const pair of map.items) {
      if (isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.source === "<<")
        merges.push(pair);
      else this.#add(fields, pair, path);
    }
    for (const pair of merges) this.#merge(fields, pair, path, depth);
    return fields;
  }

  #add(fields: Map<string, Field>, pair: Pair, path: string): void {
    const { nodes, report, lineOf } = this.#context;
    const keyNode = nodes.resolve(pair.key);
    const place = placeOf(pair.key, path);
    if (!isScalar(keyNode)) {
      report("", place, "a key must be text, not a list or map");
      return;
    }
    const key = keyNode.source ?? String(keyNode.value);
    const keyPlace = { offset: place.offset, path: keyPath(path, key) };
    const known = fields.get(key);
    if (known) {
      const line = lineOf(known.keyPlace.offset);
      report(key, keyPlace, `the key is given twice, first on line ${line}; remove one`);
      return;
    }
    const resolved = nodes.resolve(pair.value);
    const value = isScalar(resolved) && resolved.value === null ? undefined : resolved;
    fields.set(key, {
      value,
      keyPlace,
      valuePlace: placeOf(pair.value, keyPlace.path, keyPlace.offset),
    });
  }

  #merge(fields: Map<string, Field>, pair: Pair, path: string, depth: number): void {
    const { nodes, report } = this.#context;
    const place = placeOf(pair.key, `${path}.<<`);
    const value = nodes.resolve(pair.value);
    const items: readonly unknown[] = isSeq(value) ? value.items : [value];
    const maps = items.slice(0, maxMerged).map((item) => nodes.resolve(item));
    if (depth >= maxMergeDepth || items.length > maxMerged)
      report("<<", place, "too many maps are merged");
    else if (!maps.every(isMap)) report("<<", place, "only a map or a list of maps can be merged");
    else for (const map of maps) this.#mergeMap(fields, this.read(map, path, depth + 1));
  }

  #mergeMap(fields: Map<string, Field>, merged: Fields): void {
    for (const [key, field] of merged) if (!fields.has(key)) fields.set(key, field);
  }
}

function keyPath(path: string, key: string): string {
  const shown = /^[\w./-]{1,80}$/.test(key) ? key : JSON.stringify(key.slice(0, 80));
  return path === "" ? shown : `${path}.${shown}`;
}
