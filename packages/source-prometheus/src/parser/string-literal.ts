import { backslash, quote } from "./characters.ts";
import type { PageText } from "./page-text.ts";

/** A string and the position after its closing quote. */
export interface StringLiteral {
  readonly value: string;
  readonly end: number;
}

/** Reads the quoted string that begins at `start`; `undefined` when none does, or it has no end. */
export function readString(page: PageText, start: number, end: number): StringLiteral | undefined {
  const { text } = page;
  if (text.charCodeAt(start) !== quote) return undefined;
  let escaped = false;
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const raw = page.copy(start + 1, at);
      return { value: escaped ? undoEscapes(raw) : raw, end: at + 1 };
    }
    if (code !== backslash) continue;
    escaped = true;
    at++;
  }
  return undefined;
}

/** Undoes `\\`, `\"` and `\n`; any other backslash stands for itself, so nothing is lost. */
export function undoEscapes(raw: string): string {
  return raw.replace(/\\([\\"n])/g, (_, code: string) => (code === "n" ? "\n" : code));
}
