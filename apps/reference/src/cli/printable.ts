/** What could drive a terminal or reorder a line: control and format characters, and line separators. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text from outside as it may be shown: what could drive the terminal becomes `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${codeOf(character)}}`);
}

/**
 * JSON text as one line that is safe to show: without blanks between tokens, and in strings, the only
 * place that has them, unsafe characters as JSON's own escapes, so that it still says the same.
 */
export function printableJson(json: string): string {
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/gsu, (part) =>
    part.startsWith('"') ? part.replace(unsafe, escaped) : "",
  );
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, "0")}`;
  }).join("");
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
