import { MusterError } from "@muster/core";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { SyntaxProblem } from "./config-document.ts";

/** Deeper nesting than any configuration has; also ends an alias that contains itself. */
export const maxDepth = 64;

/** Values after aliases were expanded: what keeps a few aliases of aliases from filling memory. */
const maxValues = 100_000;

/** Aliases used. */
const maxAliases = 100;

/** What {@link toPlainData} gives. */
export interface PlainDocument {
  readonly value: unknown;
  /** Keys that are given twice in one map. */
  readonly duplicates: readonly SyntaxProblem[];
}

/**
 * The document as plain data: null-prototype objects, so that any key is only data. Aliases and the
 * merge key `<<` are expanded, as llm-d's YAML reader does.
 *
 * @throws MusterError CONFIG_PARSE when a limit is exceeded or a key is not a scalar.
 */
export function toPlainData(document: Document, at: (offset: number) => string): PlainDocument {
  const converter = new Converter(document, at);
  const value = converter.convert(document.contents, 0);
  return { value, duplicates: [...converter.duplicates.values()] };
}

class Converter {
  /** By key node, since a map is read again for each of its aliases. */
  readonly duplicates = new Map<Scalar, SyntaxProblem>();
  readonly #document: Document;
  readonly #at: (offset: number) => string;
  #values = 0;
  #aliases = 0;

  constructor(document: Document, at: (offset: number) => string) {
    this.#document = document;
    this.#at = at;
  }

  convert(node: unknown, depth: number): unknown {
    if (depth > maxDepth) throw this.#refuse(node, `nested deeper than ${maxDepth} levels`);
    this.#values += 1;
    if (this.#values > maxValues) throw this.#refuse(node, `more than ${maxValues} values`);
    if (isAlias(node)) {
      this.#aliases += 1;
      if (this.#aliases > maxAliases) throw this.#refuse(node, `more than ${maxAliases} aliases`);
      return this.convert(node.resolve(this.#document), depth + 1);
    }
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    if (isMap(node)) return this.#convertMap(node, depth);
    return isScalar(node) ? node.value : null;
  }

  #convertMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const own: Record<string, unknown> = Object.create(null);
    const merged: Record<string, unknown> = Object.create(null);
    for (const { key, value } of map.items) {
      if (!isScalar(key)) throw this.#refuse(key ?? map, "a key must be a single value");
      const converted = this.convert(value, depth + 1);
      const name = String(key.value);
      if (name === "<<" && key.type === "PLAIN") this.#merge(merged, converted, key);
      else if (Object.hasOwn(own, name)) this.#repeat(key);
      else own[name] = converted;
    }
    return Object.assign(merged, own);
  }

  #repeat(key: Scalar): void {
    const message = `the key ${JSON.stringify(String(key.value).slice(0, 80))} is given twice; remove one`;
    this.duplicates.set(key, { message, offset: key.range?.[0] ?? 0 });
  }

  /** The first of several maps wins. */
  #merge(into: Record<string, unknown>, value: unknown, key: Node): void {
    for (const source of [value].flat()) {
      if (typeof source !== "object" || source === null)
        throw this.#refuse(key, "<< merges maps only");
      for (const [name, item] of Object.entries(source)) if (!(name in into)) into[name] = item;
    }
  }

  #refuse(node: unknown, text: string): MusterError {
    const offset = (node as Node | undefined)?.range?.[0] ?? 0;
    return new MusterError("CONFIG_PARSE", text, { path: this.#at(offset) });
  }
}
