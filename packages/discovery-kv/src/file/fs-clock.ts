import type { Clock } from "@muster/core";
import { removeFile, writeTemp } from "./temp-file.ts";

/** Options of {@link FsClock}. */
export interface FsClockOptions {
  readonly clock: Clock;
  /** How long a probe is believed, ms. */
  readonly maxAge: number;
  /** The directory to probe; undefined while there is none. */
  readonly directory: () => Promise<string | undefined>;
}

interface Probe {
  readonly time: number;
  readonly at: number;
}

/**
 * The time of the file system, ms since the epoch, learned from the modification time that it gives a
 * new file. On a shared file system that is the server's time, which differs from ours, and it is
 * what the ages of files are told by.
 */
export class FsClock {
  readonly #options: FsClockOptions;
  #last: Probe | undefined;
  #probing: Promise<number | undefined> | undefined;

  constructor(options: FsClockOptions) {
    this.#options = options;
  }

  /** Asks the file system; undefined where we must not write and have never asked. */
  probe(): Promise<number | undefined> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  /** The time by the last probe, or by a new one when that is too old. */
  async now(): Promise<number | undefined> {
    const { clock, maxAge } = this.#options;
    const fresh = this.#last !== undefined && clock.monotonic() - this.#last.at <= maxAge;
    return fresh ? this.#estimate() : await this.probe();
  }

  async #probe(): Promise<number | undefined> {
    const { clock, directory } = this.#options;
    const at = clock.monotonic();
    try {
      const path = await directory();
      if (path === undefined) return this.#estimate();
      const temp = await writeTemp(path, "");
      await removeFile(temp.path);
      this.#last = { time: temp.status.mtimeMs, at };
    } catch {
      // read-only, full, or just removed: whoever writes records finds out and says so
    }
    return this.#estimate();
  }

  #estimate(): number | undefined {
    return this.#last && this.#last.time + this.#options.clock.monotonic() - this.#last.at;
  }
}
