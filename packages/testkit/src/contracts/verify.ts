import { type ErrorCode, formatPlain, isMusterError, messageOf } from "@muster/core";

/** How long a suite waits for what must happen, ms: below the usual time-out of a test, 5 s. */
export const defaultPatience = 3000;

/** Fails the test with `message` unless `condition` holds. */
export function verify(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Fails the test unless both are structurally equal. */
export function verifyEqual(actual: unknown, expected: unknown, what: string): void {
  if (!equal(actual, expected))
    throw new Error(`${what}: expected ${formatPlain(expected)}, got ${formatPlain(actual)}`);
}

/** Fails the test unless `action` throws, or rejects with, a MusterError, of that code if given. */
export async function verifyFails(
  action: () => unknown,
  what: string,
  code?: ErrorCode,
): Promise<void> {
  let error: unknown;
  try {
    await settled(action(), what);
  } catch (caught) {
    error = caught;
  }
  verify(error !== undefined, `${what}: expected an error${code ? ` ${code}` : ""}, got none`);
  verify(isMusterError(error), `${what}: expected a MusterError, got ${messageOf(error)}`);
  if (code !== undefined) verifyEqual(error.code, code, what);
}

/** The code of an error; anything else fails the test. */
export function codeOf(error: unknown): string {
  if (isMusterError(error)) return error.code;
  // not an error with a code: the assertion or the accident that it is
  throw error;
}

/** Waits until `read` gives `expected`; fails the test when that takes longer than `patience` ms. */
export async function eventually(
  read: () => unknown,
  expected: unknown,
  what: string,
  patience: number = defaultPatience,
): Promise<void> {
  const deadline = performance.now() + patience;
  while (!equal(read(), expected)) {
    if (performance.now() > deadline) verifyEqual(read(), expected, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The result of `promise`; fails the test when it has none after `patience` ms. */
export async function settled<T>(
  promise: T | PromiseLike<T>,
  what: string,
  patience: number = defaultPatience,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what}: still waiting after ${patience} ms`)),
      patience,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether `promise` stays unsettled while everything that can happen now happens. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = new Promise((resolve) => setTimeout(resolve, 0, isPending));
  return (await Promise.race([promise, pending])) === isPending;
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      equal((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}
