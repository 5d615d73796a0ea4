import {
  type Clock,
  type DiscoveryNotifier,
  delay,
  MusterError,
  toMusterError,
} from "@muster/core";
import { type EndpointsFile, emptyFile, readEndpoints } from "./endpoints-file.ts";
import type { FileWatch } from "./file-watch.ts";
import { type Reading, readRegularFile, sameReading } from "./read-file.ts";
import type { Reporter } from "./reporter.ts";
import { Roll } from "./roll.ts";

/** Options of {@link Session}. */
export interface SessionOptions {
  /** Absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly notifier: DiscoveryNotifier;
  readonly reporter: Reporter;
  /** `undefined`: the file is read once. */
  readonly watch: FileWatch | undefined;
}

/** What a reading of the file came to. */
type Outcome = { readonly file: EndpointsFile } | { readonly error: MusterError };

/** How long a file must stay as it is before it is believed to be worse than before, ms. */
const settleTime = 200;
/** How often a file that changes while it is read is read again at start. */
const maxTornReads = 10;

/** From one start of a discovery to its end. */
export class Session {
  readonly #options: SessionOptions;
  readonly #roll = new Roll();
  #last: Reading | undefined;
  /** Bytes of the last good content. */
  #goodSize = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Reads the file for the first time and reports its endpoints.
   *
   * @throws MusterError DISCOVERY_READ, DISCOVERY_PARSE, DISCOVERY_TOO_LARGE
   */
  async begin(): Promise<void> {
    let reading = await this.#read();
    for (let tries = 0; isTorn(reading) && tries < maxTornReads; tries++) {
      await this.#settle();
      reading = await this.#read();
    }
    const outcome = await this.#judge(reading);
    if (this.#aborted) return;
    if ("error" in outcome)
      throw outcome.error.code === "DISCOVERY_TRUNCATED"
        ? emptyFile(this.#options.path)
        : outcome.error;
    this.#accept(reading, outcome);
  }

  /** Follows a watched file until the signal aborts. */
  async follow(watch: FileWatch): Promise<void> {
    while (!this.#aborted) {
      await watch.changed();
      if (!this.#aborted) await this.#reload();
    }
  }

  get #aborted(): boolean {
    return this.#options.signal.aborted;
  }

  /**
   * Takes over what the file says now. What looks like a loss (no content, bad content, less of it,
   * endpoints gone) may be a file half written, and counts only when it is still so after a while.
   */
  async #reload(): Promise<void> {
    let reading = await this.#read();
    if (this.#last && sameReading(this.#last, reading)) return;
    let outcome = await this.#judge(reading);
    while (this.#isLoss(reading, outcome)) {
      await this.#settle();
      if (this.#aborted) return;
      const again = await this.#read();
      if (sameReading(reading, again)) break;
      reading = again;
      outcome = await this.#judge(reading);
    }
    if (!this.#aborted) this.#accept(reading, outcome);
  }

  #read(): Promise<Reading> {
    const { watch, path } = this.#options;
    return watch ? watch.read() : readRegularFile(path);
  }

  #settle(): Promise<void> {
    return delay(this.#options.clock, settleTime, this.#options.signal);
  }

  #isLoss(reading: Reading, outcome: Outcome): boolean {
    if ("error" in reading || "error" in outcome || reading.torn) return true;
    return reading.content.length < this.#goodSize || this.#roll.removals(outcome.file).length > 0;
  }

  async #judge(reading: Reading): Promise<Outcome> {
    if ("error" in reading) return reading;
    const { path } = this.#options;
    try {
      const file = await readEndpoints(reading.content, path);
      return file ? { file } : { error: truncated(path) };
    } catch (error) {
      return { error: toMusterError(error, "DISCOVERY_PARSE", { path }) };
    }
  }

  #accept(reading: Reading, outcome: Outcome): void {
    const { reporter, notifier } = this.#options;
    this.#last = reading;
    if ("error" in outcome) reporter.failed(outcome.error);
    else {
      if ("content" in reading) this.#goodSize = reading.content.length;
      const change = this.#roll.apply(outcome.file, notifier);
      reporter.applied(outcome.file, change, this.#roll.size);
    }
  }
}

function isTorn(reading: Reading): boolean {
  return "torn" in reading && reading.torn;
}

function truncated(path: string): MusterError {
  const message = "the file turned empty; write `endpoints: []` for none";
  return new MusterError("DISCOVERY_TRUNCATED", message, { path });
}
