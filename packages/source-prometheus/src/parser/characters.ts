/** The characters that mean something in the text formats. */
const tab = 9;
export const newline = 10;
const carriageReturn = 13;
const space = 32;
export const quote = 34;
export const hash = 35;
export const comma = 44;
export const dot = 46;
export const zero = 48;
export const equals = 61;
export const backslash = 92;
export const openBrace = 123;
export const closeBrace = 125;

/** Space or tab, the only blanks within a line. */
export function isBlank(code: number): boolean {
  return code === space || code === tab;
}

/** The first position from `start` that is not blank. */
export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** The first position from `start` that is blank, at most `end`. */
export function tokenEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && !isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Where a line that ends at `end` ends without its carriage return. */
export function trimReturn(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
}

/** Where a line that ends at `end` ends without its carriage return and trailing blanks. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = trimReturn(text, start, end);
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/**
 * Where the name that begins at `start` ends; `start` itself when none begins there. `[a-zA-Z_][a-zA-Z0-9_]*`,
 * with `colons` also `:` (metric names).
 */
export function nameEnd(text: string, start: number, colons: boolean): number {
  let at = start;
  let code = text.charCodeAt(at);
  if (isDigit(code)) return start;
  while (isLetter(code) || isDigit(code) || code === 95 || (colons && code === 58))
    code = text.charCodeAt(++at);
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
