import { MusterError } from "@muster/core";

/** Longest key, bytes of UTF-8; as a file's name it may have to be shorter. */
const longestKey = 1024;
/** Longest value, bytes of UTF-8; what etcd takes by default is 1.5 MiB. */
const longestValue = 1024 * 1024;
const longestBucket = 200;

const bucketName = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
/** With the flag, half a surrogate pair is a character of its own: UTF-8 cannot hold it. */
const loneSurrogate = /\p{Surrogate}/u;

const encoder = /* @__PURE__ */ new TextEncoder();

/** Length of `text` in UTF-8 is more than `limit` bytes. */
function exceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && encoder.encode(text).length > limit;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/**
 * Throws unless `key` can be written to every store: a path of parts that are not empty, at most
 * 1,024 bytes, no NUL. What is only read is not checked: others may have other habits.
 *
 * @throws MusterError STORE_KEY
 */
export function checkKey(key: string): void {
  const problem = keyProblem(key);
  if (problem !== undefined)
    throw new MusterError("STORE_KEY", `key ${shown(key)} ${problem}`, { path: "key" });
}

function keyProblem(key: string): string | undefined {
  if (exceeds(key, longestKey)) return `is longer than ${longestKey} bytes`;
  if (key.split("/").includes(""))
    return 'has an empty part: it must be parts that are not empty, joined by "/"';
  if (loneSurrogate.test(key)) return "is not valid Unicode: half of a surrogate pair";
  if (key.includes("\0")) return "holds a NUL character";
  return undefined;
}

/**
 * Throws unless `value` can be written to every store: valid Unicode, at most 1 MiB.
 *
 * @throws MusterError STORE_TOO_LARGE, and STORE_KEY for what is not Unicode
 */
export function checkValue(key: string, value: string): void {
  if (exceeds(value, longestValue))
    throw new MusterError(
      "STORE_TOO_LARGE",
      `the value of key ${shown(key)} is larger than ${longestValue} bytes`,
      { path: "value" },
    );
  if (loneSurrogate.test(value))
    throw new MusterError(
      "STORE_KEY",
      `the value of key ${shown(key)} is not valid Unicode: half of a surrogate pair`,
      { path: "value" },
    );
}

/**
 * Throws unless `name` can be a bucket everywhere, as a directory too: parts of letters, digits, `_`,
 * `-` and, not in front, `.`, joined by `/`; at most 200 characters.
 *
 * @throws MusterError STORE_KEY
 */
export function checkBucketName(name: string): void {
  if (name.length > longestBucket || !bucketName.test(name))
    throw new MusterError(
      "STORE_KEY",
      `bucket ${shown(name)} must be parts of letters, digits, "_", "-" and ".", joined by "/", at most ${longestBucket} characters`,
      { path: "bucket" },
    );
}

/**
 * Whether a key is `prefix` or below it: `a/b` takes `a/b` and `a/b/c`, never `a/bc`. Nothing and the
 * empty prefix take every key; a slash at the end of a prefix changes nothing.
 */
export function underPrefix(prefix: string | undefined): (key: string) => boolean {
  if (prefix === undefined || prefix === "") return () => true;
  const below = prefix.endsWith("/") ? prefix : `${prefix}/`;
  const self = below.slice(0, -1);
  return (key) => key.startsWith(below) || key === self;
}
