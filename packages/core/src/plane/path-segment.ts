const plain = /^[A-Za-z0-9_-]*$/;
const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A segment of an event path: ASCII letters, digits, `-` and `_` stay, other bytes become `%XX`. */
export function encodeSegment(text: string): string {
  if (plain.test(text)) return text;
  let result = "";
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte);
    result += plain.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

/** The exact inverse of {@link encodeSegment}; undefined for what it never gives. */
export function decodeSegment(text: string): string | undefined {
  if (plain.test(text)) return text;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "%") {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(text.charCodeAt(at));
  }
  try {
    const result = decoder.decode(Uint8Array.from(bytes));
    // whatever else was wrong does not come back
    return encodeSegment(result) === text ? result : undefined;
  } catch {
    // bytes that are not UTF-8
    return undefined;
  }
}
