import { type Clock, delay, MusterError, toMusterError } from "@muster/core";

/** ms that the others get to fail too once one has failed, so that all reasons are reported. */
const grace = 250;

/** Something that becomes ready, or fails before. */
export interface Startable {
  readonly name: string;
  start(): Promise<void>;
}

/** Options of {@link startAll}. */
export interface StartAllOptions {
  readonly clock: Clock;
  /** ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Starts all side by side; gives every reason why one is not ready. Empty: all are. */
export async function startAll(
  members: readonly Startable[],
  { clock, timeout, signal }: StartAllOptions,
): Promise<MusterError[]> {
  const problems: MusterError[] = [];
  const waiting = new Set(members);
  const failed = new AbortController();
  const done = new AbortController();
  const over = AbortSignal.any([done.signal, signal]);
  const all = members.map(async (member) => {
    try {
      await member.start();
    } catch (error) {
      problems.push(toMusterError(error, "START_FAILED"));
      failed.abort();
    }
    waiting.delete(member);
  });
  const limit = delay(clock, timeout, AbortSignal.any([over, failed.signal])).then(() =>
    failed.signal.aborted ? delay(clock, grace, over) : undefined,
  );
  await Promise.race([Promise.all(all), limit]);
  done.abort();
  if (signal.aborted || problems.length > 0) return problems;
  return Array.from(waiting, ({ name }) => tooLate(name, timeout));
}

function tooLate(name: string, timeout: number): MusterError {
  return new MusterError(
    "START_TIMEOUT",
    `${name} did not complete its first pass within ${timeout} ms; see to its source, or raise startTimeout`,
  );
}
