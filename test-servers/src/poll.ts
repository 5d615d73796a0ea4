/** Asks every 20 ms until the answer is true; throws when it is not within `timeout` ms. */
export async function until(
  question: () => boolean | Promise<boolean>,
  what: string,
  timeout = 15_000,
): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await question())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
