import { MusterError } from "@muster/core";

/** The text of a file, with a name for each place in it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** `file:line:column` of an offset in `text`; both count from 1, columns in UTF-16 units. */
  position(offset: number): string;
  /** The line of an offset. */
  line(offset: number): number;
}

/** What YAML 1.2 allows of C0 (section 5.1) is tab, line feed and carriage return; JSON the same. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Reads bytes as text; a byte order mark is dropped.
 *
 * @throws MusterError DISCOVERY_PARSE for anything but UTF-8 text, at the first bad byte
 */
export function readSourceText(bytes: Uint8Array, file: string): SourceText {
  refuseUtf16(bytes, file);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(bytes, file, cause);
  }
  const source = createSourceText(text, file);
  const at = text.search(controlCharacter);
  if (at < 0) return source;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  throw new MusterError("DISCOVERY_PARSE", `control character U+${code}: this is no text file`, {
    path: source.position(at),
  });
}

function createSourceText(text: string, file: string): SourceText {
  let starts: number[] | undefined;
  const lineIndex = (offset: number): number => {
    starts ??= lineStarts(text);
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    file,
    text,
    line: (offset) => lineIndex(offset) + 1,
    position(offset) {
      const index = lineIndex(offset);
      return `${file}:${index + 1}:${offset - (starts?.[index] ?? 0) + 1}`;
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function refuseUtf16(bytes: Uint8Array, file: string): void {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new MusterError("DISCOVERY_PARSE", "this is UTF-16; save it as UTF-8", {
      path: `${file}:1:1`,
    });
}

/** Decodes again with U+FFFD for bad bytes, to say where the first of them is. */
function notUtf8(bytes: Uint8Array, file: string, cause: unknown): MusterError {
  const text = new TextDecoder().decode(bytes);
  const at = Math.max(text.indexOf("\ufffd"), 0);
  return new MusterError("DISCOVERY_PARSE", "not UTF-8 text; save it as UTF-8", {
    path: createSourceText(text, file).position(at),
    cause,
  });
}
