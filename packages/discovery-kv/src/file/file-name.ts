import { maxNameBytes } from "./limits.ts";

/** What `encodeURIComponent` leaves alone though it is no letter or digit. */
const spared = /[-_.!~*'()]/g;
/** Letters and digits, and everything else as `%XX`: one spelling for each key. */
const canonical = /^(?:[\dA-Za-z]|%(?!3\d|[46][1-9A-F]|[57][\dA])[\dA-F]{2})+$/;

/**
 * The name of a key's file: every byte of its UTF-8 that is no ASCII letter or digit as `%XX`. So it
 * holds no dot and no slash, whatever the key holds. Undefined when no file can have it: the key is
 * empty, half a surrogate pair, or its name is longer than 255 bytes.
 */
export function encodeFileName(key: string): string | undefined {
  if (key === "" || key.length > maxNameBytes) return undefined;
  try {
    const name = encodeURIComponent(key).replace(spared, escapeCharacter);
    return name.length <= maxNameBytes ? name : undefined;
  } catch {
    // URIError: half of a surrogate pair
    return undefined;
  }
}

/** The key of a file, the exact inverse of {@link encodeFileName}; undefined for any other name. */
export function decodeFileName(name: string): string | undefined {
  if (name.length > maxNameBytes || !canonical.test(name)) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    // URIError: the bytes are not UTF-8
    return undefined;
  }
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
