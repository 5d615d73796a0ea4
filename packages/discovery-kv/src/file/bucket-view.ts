import { basename } from "node:path";
import type { Clock, MusterError } from "@muster/core";
import type { BucketWatchOptions } from "@muster/core/plane";
import type { WatchQueue } from "../watch-queue.ts";
import { BucketFiles } from "./bucket-files.ts";
import type { Root } from "./directory.ts";
import { systemWatch, type WatchDirectory } from "./directory-watch.ts";
import type { FsClock } from "./fs-clock.ts";
import { isMissing, storeError } from "./fs-error.ts";
import { listFiles } from "./listing.ts";
import type { Reporter } from "./reporter.ts";
import { StaleTemps } from "./stale-temps.ts";
import { type Todo, Turns } from "./turns.ts";
import { Watchers } from "./watchers.ts";

/** What {@link BucketView} needs; times in ms. */
export interface BucketViewOptions {
  readonly bucket: string;
  readonly root: Root;
  readonly clock: Clock;
  readonly fsClock: FsClock;
  readonly ttl: number;
  readonly pollInterval: number;
  readonly reporter: Reporter;
  /** Whether a file is one of this client's records. */
  readonly isOwn: (name: string) => boolean;
  /** The directory was removed, or replaced by another one. */
  readonly onReplaced: () => void;
  /** Default: the operating system's events. */
  readonly watchDirectory?: WatchDirectory | undefined;
}

/** How soon a file is read again that looks incomplete, ms. */
const soon = 50;
/** How late a poll comes when this process was stopped, ms. */
const longStop = 1000;

/**
 * What one bucket's directory holds, followed by events and by polling while somebody watches, and
 * looked at in rounds while it has records of ours or a watcher.
 */
export class BucketView {
  readonly #options: BucketViewOptions;
  readonly #files: BucketFiles;
  readonly #temps = new StaleTemps();
  readonly #watchers: Watchers;
  readonly #turns: Turns;
  #failure: MusterError | undefined;
  #identity: string | undefined;
  #listedAt: number | undefined;
  #listOnceMore = false;
  #watching: { close(): void } | undefined;
  #cancelPoll: (() => void) | undefined;
  #pollsSoon = false;
  #polledAt = 0;
  #closed = false;

  constructor(options: BucketViewOptions) {
    this.#options = options;
    const { bucket, clock, fsClock, ttl, reporter, isOwn } = options;
    this.#files = new BucketFiles({
      ...{ bucket, clock, fsClock, ttl, reporter, isOwn },
      onPut: (key, value) => this.#watchers.put(key, value),
      onDelete: (key) => this.#watchers.delete(key),
    });
    this.#watchers = new Watchers({
      snapshot: (includes) => this.#files.snapshot(includes),
      onEmpty: () => this.#rest(),
      onThrow: (message) => reporter.threw(bucket, message),
    });
    this.#turns = new Turns({
      take: (todo) => this.#take(todo),
      // the directory was removed while it was looked at
      mayRetry: isMissing,
      onOver: (failure) => this.#over(failure),
    });
  }

  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  get files(): Pick<BucketFiles, "isOutdated" | "touched"> {
    return this.#files;
  }

  /**
   * Opens a watch; established when it resolves.
   *
   * @throws MusterError STORE_UNAVAILABLE, STORE_TOO_LARGE when the directory cannot be followed
   */
  async watch(options: BucketWatchOptions): Promise<WatchQueue> {
    const queue = this.#watchers.add(options);
    if (queue.closed) return queue;
    this.#files.reading = true;
    await this.#turns.ask({ open: true, list: true });
    if (this.#failure && !queue.closed) {
      const failure = this.#failure;
      await queue.events.return?.();
      throw failure;
    }
    this.#schedulePoll();
    return queue;
  }

  /** A record was just written or removed by us. */
  note(name: string): void {
    if (!this.watched) return;
    this.#files.wrote(name);
    void this.#turns.ask({ name });
  }

  /** Makes sure of the directory, counts what has not changed, removes what is stale. */
  async round(): Promise<void> {
    await this.#turns.ask({ open: true, list: true, all: true, round: true });
  }

  /** Nothing is ours and nobody watches: what was seen will be out of date. */
  forget(): void {
    if (this.watched) return;
    this.#files.forget("all");
    this.#identity = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.end();
    this.#rest();
    await this.#turns.close();
  }

  /** Lets go of events, timers and contents. */
  #rest(): void {
    this.#detach();
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
    this.#files.reading = false;
    this.#files.forget("contents");
  }

  async #take(todo: Todo): Promise<void> {
    const { open, round } = todo;
    todo.open = false;
    todo.round = false;
    if (open) await this.#open(todo);
    await this.#files.examine(emptied(todo.again), { force: true });
    await this.#files.examine(emptied(todo.names));
    if (todo.list) await this.#files.examine(await this.#list(todo, round), { round });
    if (round) await this.#files.expire();
  }

  async #list(todo: Todo, round: boolean): Promise<string[]> {
    const { all } = todo;
    todo.list = false;
    todo.all = false;
    const { names, temps } = await listFiles(this.#files.directory);
    if (round) await this.#temps.sweep(this.#files.directory, temps);
    return this.#files.differences(names, all);
  }

  async #open(todo: Todo): Promise<void> {
    const { root, bucket } = this.#options;
    const state = (await root.bucket(bucket)) ?? (await root.ensureBucket(bucket));
    const known = state.identity === this.#identity;
    if (!known) {
      this.#detach();
      this.#files.directory = state.path;
      todo.all = true;
      if (this.#identity !== undefined) {
        this.#watchers.resync();
        this.#options.onReplaced();
      }
      this.#identity = state.identity;
    }
    if (this.watched) this.#attach(state.path);
    const listed = known && state.mtimeMs === this.#listedAt;
    // within a tick of its clock the directory may change again and look the same
    if (!listed || this.#listOnceMore) todo.list = true;
    this.#listOnceMore = !listed;
    this.#listedAt = state.mtimeMs;
  }

  #attach(path: string): void {
    if (this.#watching) return;
    const { bucket, reporter, watchDirectory = systemWatch } = this.#options;
    const fail = (error: unknown): void => {
      this.#detach();
      if (!this.#closed && this.watched) reporter.unwatched(bucket, error);
    };
    try {
      this.#watching = watchDirectory(path, (name) => this.#onEvent(path, name), fail);
    } catch (error) {
      fail(error);
    }
  }

  #onEvent(path: string, name: string | null): void {
    if (!this.watched || name?.startsWith(".")) return;
    // its own name: the directory itself was moved or removed, and the watch with it
    const any = name === null || name === basename(path);
    void this.#turns.ask({
      ...(any && { open: true, list: true, all: true }),
      ...(name !== null && { name }),
    });
  }

  #detach(): void {
    const watching = this.#watching;
    this.#watching = undefined;
    watching?.close();
  }

  #schedulePoll(): void {
    this.#cancelPoll?.();
    if (this.#closed || !this.watched) return;
    const { clock, pollInterval } = this.#options;
    this.#polledAt = clock.monotonic();
    this.#pollsSoon = this.#files.rereads.urgent;
    const wait = this.#pollsSoon ? Math.min(soon, pollInterval) : pollInterval;
    this.#cancelPoll = clock.schedule(() => void this.#poll(), wait);
  }

  async #poll(): Promise<void> {
    this.#pollsSoon = false;
    const now = this.#options.clock.monotonic();
    const overdue = now - this.#polledAt > this.#options.pollInterval + longStop;
    this.#polledAt = now;
    await this.#turns.ask({ open: true, again: this.#files.rereads.due(now) });
    // of what happened while this process was stopped only the outcome is known
    if (overdue) this.#watchers.resync();
    this.#schedulePoll();
  }

  #over(failure: unknown): void {
    const { bucket, reporter, root } = this.#options;
    const before = this.#failure;
    this.#failure =
      failure === undefined
        ? undefined
        : storeError(failure, "read the bucket", `${root.path}/${bucket}`);
    if (this.#failure) reporter.failed(bucket, this.#failure);
    if (this.#failure && !before) this.#watchers.interrupt(this.#failure);
    if (!this.#failure && before) {
      reporter.works(bucket);
      this.#watchers.resume();
    }
    if (this.#files.rereads.urgent && !this.#pollsSoon) this.#schedulePoll();
  }
}

function emptied<T>(set: Set<T>): T[] {
  const items = [...set];
  set.clear();
  return items;
}
