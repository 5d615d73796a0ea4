import type { Refusal, Signature } from "./look.ts";

/** A file that may be a record, as it was seen last. */
export interface SeenFile {
  /** Undefined when its name is none of a record. */
  readonly key: string | undefined;
  signature: Signature;
  /** Undefined while nobody watches, or when it cannot be read. */
  value: string | undefined;
  refused: Refusal | undefined;
  /** Its writer is dead as far as we can tell, so it is as good as gone. */
  hidden: boolean;
  /** In how many rounds on end it has not changed. */
  rounds: number;
  /** Monotonic time when it was first seen like this, ms. */
  since: number;
  /** It changed since the last round: no need to look at it in the next. */
  changed: boolean;
}

/** Rounds of a third of the TTL each, so all of one TTL. */
const staleRounds = 3;
/** Timers may be early by a little. */
const almost = 0.95;

/** Marks a file as alive; its writer has touched or written it. */
export function revive(file: SeenFile, signature: Signature, now: number): void {
  file.signature = signature;
  file.rounds = 0;
  file.since = now;
  file.changed = true;
}

/**
 * Whether nobody has touched a file for one TTL *while we looked*. No clock but our monotonic one is
 * asked, so that a clock that jumps, or a writer whose clock is wrong, makes no live record stale; and
 * rounds do not pass while we are stopped or suspended ourselves.
 */
export function isStale(file: SeenFile, ttl: number, now: number): boolean {
  return file.rounds >= staleRounds && now - file.since >= ttl * almost;
}

/** Whether readers see it. */
export function isShown(
  file: SeenFile | undefined,
): file is SeenFile & { key: string; value: string } {
  return file !== undefined && file.value !== undefined && file.key !== undefined && !file.hidden;
}
