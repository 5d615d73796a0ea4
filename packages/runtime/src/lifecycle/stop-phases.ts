import { type Clock, type Logger, messageOf } from "@muster/core";
import { withinLimit } from "./time-limit.ts";

/** Every phase gets at least this long, ms, even when earlier ones used up the time. */
const leastTime = 100;

/** Something to stop. */
export interface Stoppable {
  readonly name: string;
  stop(): void | Promise<void>;
}

/** Options of {@link stopPhases}. */
export interface StopPhasesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** ms for all phases together. */
  readonly timeout: number;
}

/**
 * Stops phase after phase, the members of each side by side. One that fails is logged and stops
 * nobody else. Gives the names of those that took too long.
 */
export async function stopPhases(
  phases: readonly (readonly Stoppable[])[],
  { clock, logger, timeout }: StopPhasesOptions,
): Promise<string[]> {
  const deadline = clock.monotonic() + timeout;
  const late: string[] = [];
  for (const phase of phases) {
    const limit = Math.max(leastTime, deadline - clock.monotonic());
    await Promise.all(
      phase.map(async (member) => {
        try {
          if (!(await withinLimit(clock, limit, begin(member)))) late.push(member.name);
        } catch (error) {
          logger.error({ name: member.name, error: messageOf(error) }, "failed to stop");
        }
      }),
    );
  }
  return late;
}

async function begin(member: Stoppable): Promise<void> {
  await member.stop();
}
