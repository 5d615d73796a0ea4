import { type Logger, type MusterError, messageOf } from "@muster/core";
import type { BucketWatchOptions } from "@muster/core/plane";

/** What {@link Interruptions} needs. */
export interface InterruptionsOptions {
  /** Kind of store, for the log. */
  readonly store: string;
  readonly bucket: string;
  readonly logger: Logger;
  /** The reader's. */
  readonly listener: BucketWatchOptions["onInterruption"];
  /** Counts one. */
  readonly onBegin: () => void;
}

/** Says once that a watch cannot follow its bucket, and once that it can again: to the log and its reader. */
export class Interruptions {
  readonly #options: InterruptionsOptions;
  #interrupted = false;

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** It cannot be followed; or still not, for this reason or another. */
  begin(problem: MusterError): void {
    if (this.#interrupted) return;
    this.#interrupted = true;
    const { store, bucket, logger, onBegin } = this.#options;
    const { code, message } = problem;
    onBegin();
    logger.warn({ store, bucket, code }, `the bucket cannot be followed: ${message}`);
    this.#tell(problem);
  }

  /** It is followed; what was missed comes next. */
  end(): void {
    if (!this.#interrupted) return;
    this.#interrupted = false;
    const { store, bucket, logger } = this.#options;
    logger.info({ store, bucket }, "the bucket is followed again");
    this.#tell(undefined);
  }

  #tell(problem: MusterError | undefined): void {
    const { store, bucket, logger, listener } = this.#options;
    tellListener(listener, problem, (error) =>
      logger.error({ store, bucket, error }, "a listener of interruptions threw"),
    );
  }
}

/** Calls a reader's listener; what it throws is no reason for its watch, or its neighbours', to end. */
export function tellListener(
  listener: BucketWatchOptions["onInterruption"],
  problem: MusterError | undefined,
  onThrow: (message: string) => void,
): void {
  try {
    listener?.(problem);
  } catch (error) {
    onThrow(messageOf(error));
  }
}
