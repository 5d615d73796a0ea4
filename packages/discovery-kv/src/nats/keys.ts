/**
 * How buckets and keys are laid out in the one NATS bucket of a fleet:
 *
 * `$KV.<namespace>.<bucket>.<key>`, such as `$KV.muster.v1/instances.dynamo/backend/generate/18`.
 *
 * Letters, digits, `/`, `-` and `_` stay; any other byte of the UTF-8 becomes `=XX` (upper-case hex),
 * dots too, so that bucket and key are one token each, and nothing is a wildcard. All of it is within
 * what NATS allows of a key, `[-/_=.a-zA-Z0-9]`. Leases are in a bucket that no bucket of ours can be
 * called: `=lease`.
 */
export interface KeySpace {
  /** Everything of the fleet. */
  readonly all: string;
  /** All leases. */
  readonly leases: string;
  lease(owner: string): string;
  /** All keys of a bucket. */
  bucket(name: string): string;
  key(bucket: string, key: string): string;
}

/** Makes the {@link KeySpace} of a namespace. */
export function createKeySpace(namespace: string): KeySpace {
  const root = `$KV.${namespace}`;
  return {
    all: `${root}.>`,
    leases: `${root}.=lease.*`,
    lease: (owner) => `${root}.=lease.${owner}`,
    bucket: (name) => `${root}.${escapeToken(name)}.*`,
    key: (bucket, key) => `${root}.${escapeToken(bucket)}.${escapeToken(key)}`,
  };
}

/** The key in a subject; undefined when nobody who keeps to the layout can have written it. */
export function keyOfSubject(subject: string): string | undefined {
  return unescapeToken(subject.slice(subject.lastIndexOf(".") + 1));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text as one token of a subject. */
export function escapeToken(text: string): string {
  return text.replace(/[^A-Za-z0-9/_-]/gu, (character) =>
    [...encoder.encode(character)]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}

/** The exact inverse of {@link escapeToken}; undefined for a token that it does not make. */
export function unescapeToken(token: string): string | undefined {
  if (!/^(?:[A-Za-z0-9/_-]|=[0-9A-F]{2})+$/.test(token)) return undefined;
  const bytes = token.replace(/=../g, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  try {
    const text = decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    return escapeToken(text) === token ? text : undefined;
  } catch {
    // bytes that are not UTF-8
    return undefined;
  }
}
