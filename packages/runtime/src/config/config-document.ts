import { MusterError, messageOf } from "@muster/core";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
} from "yaml";
import { toPlainData } from "./plain-data.ts";
import { type ConfigPath, invalidConfig } from "./report.ts";

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
  const document = parse(text, { file, lines });
  const syntax = [...document.errors, ...document.warnings].slice(0, maxSyntaxErrors);
  if (syntax.length > 0)
    throw invalidConfig("CONFIG_PARSE", file, {
      problems: syntax.map(
        ({ message, pos }) => new MusterError("CONFIG_PARSE", message, { path: place(pos[0]) }),
      ),
    });
  return {
    file,
    value: toPlainData(document, place),
    position: (path, part) => position(offsetOf(document, path, part)),
  };
}

/** CONFIG_TOO_LARGE for a file. */
export function tooLarge(file: string): MusterError {
  return new MusterError(
    "CONFIG_TOO_LARGE",
    `${file} is larger than ${maxConfigBytes / 1024} KiB; no configuration needs that`,
    { path: file },
  );
}

type Parsed = Document.Parsed<ParsedNode>;

function parse(text: string, { file, lines }: { file: string; lines: LineCounter }): Parsed {
  try {
    return parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  } catch (error) {
    // nesting too deep for the parser's recursion
    throw new MusterError("CONFIG_PARSE", `${file} cannot be parsed: ${messageOf(error)}`, {
      path: file,
      cause: error,
    });
  }
}

function offsetOf(document: Parsed, path: ConfigPath, part: "key" | "value" = "value"): number {
  let node: Node | null | undefined = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const found: Step | undefined = stepInto(isAlias(node) ? node.resolve(document) : node, step);
    if (found === undefined) return offset;
    const wantKey = part === "key" && index === path.length - 1;
    const value = wantKey ? undefined : startOf(found.value);
    offset = value ?? startOf(found.key) ?? offset;
    node = found.value;
  }
  return offset;
}

interface Step {
  readonly key: Node | null | undefined;
  readonly value: Node | null | undefined;
}

function stepInto(node: Node | null | undefined, step: string | number): Step | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)] as Node | undefined;
    return value && { key: value, value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && { key: pair.key as Node, value: pair.value as Node | null };
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}
