import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type Clock, delay, MusterError } from "@muster/core";
import { fsCode } from "./fs-error.ts";
import { sameSignature, signatureOf, statusOf } from "./look.ts";
import { removeFile, tempPath } from "./temp-file.ts";

/** How long between two tries to get a lock, ms. */
const retryDelay = 5;

/** What {@link withKeyLock} needs. */
export interface KeyLockOptions {
  readonly directory: string;
  /** Name of the file that is changed. */
  readonly name: string;
  readonly clock: Clock;
  /** How long a lock may stay as it is before its holder is taken for dead, ms. */
  readonly ttl: number;
  readonly signal: AbortSignal;
}

/**
 * Does `work` while no other process of ours changes the same file: a file system has no
 * compare-and-replace. The lock is a file with a temporary file's name that follows from the locked
 * one's, created exclusively; who dies while holding it is waited for as long as its records live.
 *
 * @throws MusterError STORE_TIMEOUT when others hold the lock for all of twice the TTL
 */
export async function withKeyLock<T>(options: KeyLockOptions, work: () => Promise<T>): Promise<T> {
  const digest = createHash("sha256").update(options.name).digest();
  const path = tempPath(options.directory, digest.readBigUInt64BE());
  await acquire(path, options);
  try {
    return await work();
  } finally {
    await removeFile(path);
  }
}

async function acquire(path: string, options: KeyLockOptions): Promise<void> {
  const { clock, ttl, signal } = options;
  const deadline = clock.monotonic() + 2 * ttl;
  let seen = await tryAcquire(path);
  let since = clock.monotonic();
  while (seen !== undefined && !signal.aborted) {
    const now = clock.monotonic();
    if (now > deadline)
      throw new MusterError(
        "STORE_TIMEOUT",
        `file store: another process holds the lock ${path} for too long; remove the file if it is left over`,
        { path },
      );
    if (now - since > ttl) await removeFile(path);
    else await delay(clock, retryDelay, signal);
    const next = await tryAcquire(path);
    if (next === undefined || !sameSignature(next, seen)) since = clock.monotonic();
    seen = next;
  }
  if (seen !== undefined) throw new MusterError("STORE_CLOSED", "file store: it was closed");
}

type LockState = ReturnType<typeof signatureOf> | undefined;

/** Undefined when the lock is ours; else what there is in the way. */
async function tryAcquire(path: string): Promise<LockState> {
  for (;;) {
    try {
      await (await open(path, "wx")).close();
      return undefined;
    } catch (error) {
      if (fsCode(error) !== "EEXIST") throw error;
    }
    const status = await statusOf(path);
    if (status) return signatureOf(status);
  }
}
