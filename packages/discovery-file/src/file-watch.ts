import { watch } from "node:fs";
import { basename } from "node:path";
import { type Clock, MusterError, messageOf } from "@muster/core";
import { createDebounce, type Debounce } from "./debounce.ts";
import { type ChainDirectory, resolveChain } from "./link-chain.ts";
import { type Reading, readRegularFile, type Signature, signatureOf } from "./read-file.ts";

/** Watches one directory; may throw. Replaced in tests. */
export type WatchDirectory = (
  path: string,
  onEvent: (name: string | null) => void,
  onError: (error: unknown) => void,
) => { close(): void };

/** Options of {@link FileWatch}. */
export interface FileWatchOptions {
  /** Absolute. */
  readonly path: string;
  readonly clock: Clock;
  /** ms. */
  readonly pollInterval: number;
  /** Told once of each way in which watching failed. */
  readonly onUnwatched: (error: MusterError) => void;
  /** Default: `fs.watch`. */
  readonly watchDirectory?: WatchDirectory | undefined;
}

/** A burst of events counts as one when they come closer than this, ms. */
const quiet = 50;
/** The longest a burst is waited out, ms. */
const maxBurst = 250;
/** A directory may be swapped while it is being attached to; then another round finds it. */
const maxRounds = 3;

const systemWatch: WatchDirectory = (path, onEvent, onError) => {
  const watcher = watch(path, (_type, name) => onEvent(name));
  watcher.on("error", onError);
  return watcher;
};

interface Watcher {
  names: ReadonlySet<string>;
  close(): void;
}

/**
 * Tells when a file may have changed, and reads it. Directories are watched rather than the file, of
 * which a watch goes deaf after one rename or swap; events come from each directory along a chain of
 * symbolic links. Beside them the file's status is polled, so that lost events and file systems
 * without any are followed too.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #watchers = new Map<string, Watcher>();
  readonly #failures = new Set<string>();
  readonly #debounce: Debounce;
  #seen: Signature | undefined;
  #lookAgain = false;
  #cancelPoll: (() => void) | undefined;
  /** An event named the file, or a poll found it changed. */
  #certain = false;
  #changed = false;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#debounce = createDebounce({
      clock: options.clock,
      quiet,
      max: maxBurst,
      run: () => void this.#burstOver(),
    });
  }

  /** Attaches to the directories on the way, then reads, so that no change falls in between. */
  async read(): Promise<Reading> {
    for (let round = 0; round < maxRounds; round++) {
      const chain = await resolveChain(this.#options.path);
      if (this.#closed || !this.#attach(chain)) break;
    }
    const reading = await readRegularFile(this.#options.path);
    this.#lookAgain = reading.signature !== this.#seen;
    this.#seen = reading.signature;
    if (this.#cancelPoll === undefined) this.#schedulePoll();
    return reading;
  }

  /** Resolves once the file may have changed since the last call, or the watch is closed. */
  async changed(): Promise<void> {
    if (!this.#changed && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    this.#changed = false;
  }

  /** Lets go of every watcher and timer. */
  close(): void {
    this.#closed = true;
    this.#debounce.cancel();
    this.#cancelPoll?.();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#wake?.();
  }

  /** Watches exactly these directories; says whether there was a new one among them. */
  #attach(chain: readonly ChainDirectory[]): boolean {
    const wanted = new Map(chain.map((directory) => [keyOf(directory), directory]));
    for (const key of this.#watchers.keys()) if (!wanted.has(key)) this.#detach(key);
    let added = false;
    for (const [key, directory] of wanted) {
      const known = this.#watchers.get(key);
      if (known) known.names = directory.names;
      else added = this.#open(key, directory) || added;
    }
    return added;
  }

  #open(key: string, { path, names }: ChainDirectory): boolean {
    const { watchDirectory = systemWatch } = this.#options;
    const fail = (error: unknown): void => {
      this.#detach(key);
      this.#report(path, error);
    };
    const onEvent = (name: string | null): void => {
      const watcher = this.#watchers.get(key);
      if (watcher === undefined) return;
      // its own name: the directory itself was moved or removed, and the watch with it
      const itself = name === basename(path);
      if (itself) this.#detach(key);
      this.#suspect(itself || name === null || watcher.names.has(name));
    };
    try {
      const { close } = bound(watchDirectory(path, onEvent, fail));
      this.#watchers.set(key, { names, close });
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  #suspect(certain: boolean): void {
    this.#certain ||= certain;
    this.#debounce.call();
  }

  /**
   * After events of other files alone the file's status decides: Deno may name a rename by its old
   * name only, and a busy directory must not make the file be read all the time.
   */
  async #burstOver(): Promise<void> {
    const certain = this.#certain;
    this.#certain = false;
    if (!certain && (await signatureOf(this.#options.path)) === this.#seen) return;
    this.#changed = true;
    this.#wake?.();
  }

  #detach(key: string): void {
    this.#watchers.get(key)?.close();
    this.#watchers.delete(key);
  }

  #report(path: string, cause: unknown): void {
    // gone between looking and watching: the next look finds out
    if (this.#closed || (cause as NodeJS.ErrnoException).code === "ENOENT") return;
    const { pollInterval, onUnwatched } = this.#options;
    const message = `cannot watch ${path}, its status is looked at every ${pollInterval} ms instead: ${messageOf(cause)}`;
    if (this.#failures.has(message)) return;
    this.#failures.add(message);
    onUnwatched(new MusterError("DISCOVERY_WATCH", message, { path: this.#options.path, cause }));
  }

  #schedulePoll(): void {
    if (this.#closed) return;
    const { clock, pollInterval } = this.#options;
    this.#cancelPoll = clock.schedule(() => void this.#poll(), pollInterval);
  }

  /** A changed file is read once more at the next poll: within a clock's tick its status stays. */
  async #poll(): Promise<void> {
    const signature = await signatureOf(this.#options.path);
    if (!this.#closed && (this.#lookAgain || signature !== this.#seen)) this.#suspect(true);
    this.#lookAgain = false;
    this.#schedulePoll();
  }
}

function keyOf({ identity, path }: ChainDirectory): string {
  return `${identity} ${path}`;
}

function bound(watcher: { close(): void }): { close(): void } {
  return { close: () => watcher.close() };
}
