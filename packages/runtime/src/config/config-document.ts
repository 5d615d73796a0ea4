import { MusterError } from "@muster/core";
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { toPlainData } from "./plain-data.ts";
import { type ConfigPath, invalidConfig } from "./report.ts";
import { type Parsed, parseSyntax } from "./yaml-syntax.ts";

/** Largest configuration, in bytes of UTF-8. */
export const maxConfigBytes: number = 1024 * 1024;

/** A parsed configuration that knows where everything in it stands. */
export interface ConfigDocument {
  /** As the user named it. */
  readonly file: string;
  /** Plain data; objects have no prototype. */
  readonly value: unknown;
  /** Of a value or its key, or of the innermost thing around it that exists. */
  position(path: ConfigPath, at?: "key" | "value"): Position;
}

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Syntax errors shown at most; one slip often causes many. */
const maxSyntaxErrors = 20;

/**
 * Parses YAML 1.2 or JSON, one document.
 *
 * @throws MusterError CONFIG_PARSE with every problem, CONFIG_TOO_LARGE.
 */
export function parseConfigDocument(text: string, file: string): ConfigDocument {
  if (text.length > maxConfigBytes) throw tooLarge(file);
  const lines = new LineCounter();
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const place = (offset: number): string => {
    const { line, column } = position(offset);
    return `${file}:${line}:${column}`;
  };
  const document = parseSyntax(text, { file, place, onLine: lines.addNewLine });
  const syntax = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    message,
    offset: pos[0],
  }));
  refuse(syntax, { file, place });
  const { value, duplicates } = toPlainData(document, place);
  refuse(duplicates, { file, place });
  const places = new Places(document);
  return { file, value, position: (path, part) => position(places.offsetOf(path, part)) };
}

/** Something wrong with the text itself. */
export interface SyntaxProblem {
  readonly message: string;
  readonly offset: number;
}

function refuse(
  found: readonly SyntaxProblem[],
  { file, place }: { readonly file: string; readonly place: (offset: number) => string },
): void {
  if (found.length === 0) return;
  throw invalidConfig("CONFIG_PARSE", file, {
    problems: found
      .slice(0, maxSyntaxErrors)
      .map(
        ({ message, offset }) => new MusterError("CONFIG_PARSE", message, { path: place(offset) }),
      ),
  });
}

/** CONFIG_TOO_LARGE for a file. */
export function tooLarge(file: string): MusterError {
  return new MusterError(
    "CONFIG_TOO_LARGE",
    `${file} is larger than ${maxConfigBytes / 1024} KiB; no configuration needs that`,
    { path: file },
  );
}

/** Finds where things stand. Maps are indexed and aliases followed once: a file may have a problem per key. */
class Places {
  readonly #document: Parsed;
  readonly #targets = new WeakMap<Alias, Node>();
  readonly #indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

  constructor(document: Parsed) {
    this.#document = document;
  }

  offsetOf(path: ConfigPath, part: "key" | "value" = "value"): number {
    let node: Node | null | undefined = this.#document.contents;
    let offset = startOf(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const found = this.#stepInto(this.#resolve(node), step);
      if (found === undefined) return offset;
      const wantKey = part === "key" && index === path.length - 1;
      const value = wantKey ? undefined : startOf(found.value);
      offset = value ?? startOf(found.key) ?? offset;
      node = found.value;
    }
    return offset;
  }

  /** The library walks the document for each alias. */
  #resolve(node: Node | null | undefined): Node | null | undefined {
    if (!isAlias(node)) return node;
    const target = this.#targets.get(node) ?? node.resolve(this.#document);
    if (target !== undefined) this.#targets.set(node, target);
    return target;
  }

  #stepInto(node: Node | null | undefined, step: string | number): Step | undefined {
    if (isSeq(node)) {
      const value = node.items[Number(step)] as Node | undefined;
      return value && { key: value, value };
    }
    if (!isMap(node)) return undefined;
    const pair = this.#index(node).get(String(step));
    return pair && { key: pair.key as Node, value: pair.value as Node | null };
  }

  #index(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#indexes.get(map);
    if (known !== undefined) return known;
    const index = new Map<string, Pair>();
    for (const pair of map.items) if (isScalar(pair.key)) index.set(String(pair.key.value), pair);
    this.#indexes.set(map, index);
    return index;
  }
}

interface Step {
  readonly key: Node | null | undefined;
  readonly value: Node | null | undefined;
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}
