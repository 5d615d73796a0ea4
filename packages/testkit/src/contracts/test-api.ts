/**
 * What a suite needs of a test runner. Those of vitest, node:test, Bun, Deno's std/testing/bdd, Jest
 * and Mocha fit as they are.
 */
export interface TestApi {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Something a suite made and has to let go of. */
export interface Closable {
  /** Called at the end of each test, whether it passed or not. */
  close?(): void | Promise<void>;
}

/** Makes what one test needs, runs the test, lets go of it. */
export async function using<T extends Closable>(
  make: () => T | Promise<T>,
  body: (made: T) => void | Promise<void>,
): Promise<void> {
  const made = await make();
  try {
    await body(made);
  } finally {
    await made.close?.();
  }
}
