import { basename } from "node:path";
import type { Clock, MusterError } from "@muster/core";
import type { BucketWatchOptions } from "@muster/core/plane";
import { underPrefix } from "../store-key.ts";
import { createWatchQueue, type WatchQueue } from "../watch-queue.ts";
import { BucketFiles } from "./bucket-files.ts";
import type { Root } from "./directory.ts";
import { systemWatch, type WatchDirectory } from "./directory-watch.ts";
import type { FsClock } from "./fs-clock.ts";
import { isMissing, storeError } from "./fs-error.ts";
import { listFiles } from "./listing.ts";
import type { Reporter } from "./reporter.ts";
import { StaleTemps } from "./stale-temps.ts";

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

interface Watcher {
  readonly queue: WatchQueue;
  readonly includes: (key: string) => boolean;
  readonly onInterruption: BucketWatchOptions["onInterruption"];
}

/** What the next turn has to do beside looking at single files. */
interface Todo {
  /** Make sure that the directory is there, and is the one that is watched. */
  open: boolean;
  list: boolean;
  /** Look at every file. */
  all: boolean;
  /** This is a round: count what has not changed, remove what is stale. */
  round: boolean;
}

const nothing: Todo = { open: false, list: false, all: false, round: false };
/** How soon a file is read again that looks incomplete, ms. */
const soon = 50;
/** How often a directory may be removed while it is looked at. */
const maxTries = 3;

/**
 * What one bucket's directory holds, followed by events and by polling while somebody watches, and
 * looked at in rounds while it has records of ours or a watcher. Everything happens in turns, one
 * after the other, so that what a turn saw is never overtaken by an older look.
 */
export class BucketView {
  readonly #options: BucketViewOptions;
  readonly #files: BucketFiles;
  readonly #temps = new StaleTemps();
  readonly #watchers = new Set<Watcher>();
  readonly #names = new Set<string>();
  readonly #again = new Set<string>();
  #todo: Todo = { ...nothing };
  #running: Promise<void> | undefined;
  #failure: MusterError | undefined;
  #identity: string | undefined;
  #listedAt: number | undefined;
  #listOnceMore = false;
  #watching: { close(): void } | undefined;
  #cancelPoll: (() => void) | undefined;
  #pollsSoon = false;
  #closed = false;

  constructor(options: BucketViewOptions) {
    this.#options = options;
    const { bucket, clock, fsClock, ttl, reporter, isOwn } = options;
    this.#files = new BucketFiles({
      ...{ bucket, clock, fsClock, ttl, reporter, isOwn },
      onPut: (key, value) => this.#tell(key, (queue) => queue.put(key, value)),
      onDelete: (key) => this.#tell(key, (queue) => queue.delete(key)),
    });
  }

  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  /** The directory's identity when it was last looked at. */
  get identity(): string | undefined {
    return this.#identity;
  }

  get files(): Pick<BucketFiles, "isOutdated" | "touched"> {
    return this.#files;
  }

  /** Opens a watch; established when it resolves. */
  async watch(options: BucketWatchOptions): Promise<WatchQueue> {
    const { prefix, signal, onInterruption } = options;
    const includes = underPrefix(prefix);
    const queue = createWatchQueue({
      snapshot: () => this.#files.snapshot(includes),
      signal,
      onClose: () => this.#leave(watcher),
    });
    const watcher: Watcher = { queue, includes, onInterruption };
    this.#watchers.add(watcher);
    this.#files.reading = true;
    await this.#turn({ open: true, list: true });
    if (this.#failure && !queue.closed) {
      const failure = this.#failure;
      queue.end();
      this.#leave(watcher);
      throw failure;
    }
    this.#schedulePoll();
    return queue;
  }

  /** A record was just written or removed by us. */
  note(name: string): void {
    if (!this.watched) return;
    this.#files.wrote(name);
    this.#names.add(name);
    void this.#turn({});
  }

  /** Makes sure of the directory, counts what has not changed, removes what is stale. */
  async round(): Promise<void> {
    await this.#turn({ open: true, list: true, all: true, round: true });
  }

  /** Nothing is ours and nobody watches: what was seen will be out of date. */
  forget(): void {
    if (this.watched) return;
    this.#files.forget("all");
    this.#identity = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { queue } of [...this.#watchers]) queue.end();
    this.#rest();
    await this.#running;
  }

  #tell(key: string, how: (queue: WatchQueue) => void): void {
    for (const { queue, includes } of this.#watchers) if (includes(key)) how(queue);
  }

  #leave(watcher: Watcher): void {
    if (this.#watchers.delete(watcher) && !this.watched) this.#rest();
  }

  /** Lets go of events, timers and contents. */
  #rest(): void {
    this.#detach();
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
    this.#files.reading = false;
    this.#files.forget("contents");
  }

  /** Resolves when turns were taken that did all this; what fails is kept in `#failure`. */
  #turn(todo: Partial<Todo>): Promise<void> {
    this.#todo = merge(this.#todo, todo);
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    let failure: unknown;
    for (let tries = maxTries; ; ) {
      try {
        while (!this.#closed && this.#isDue()) await this.#takeTurn();
        break;
      } catch (error) {
        // what was to be done is not done: look at everything
        this.#todo = merge(this.#todo, { list: true, all: true });
        // the directory was removed meanwhile
        if (isMissing(error) && --tries > 0) this.#todo.open = true;
        else {
          failure = error;
          break;
        }
      }
    }
    this.#running = undefined;
    if (failure === undefined) this.#works();
    else this.#fails(failure);
    if (this.#files.rereads.urgent && !this.#pollsSoon) this.#schedulePoll();
  }

  #isDue(): boolean {
    const { open, list } = this.#todo;
    return open || list || this.#names.size > 0 || this.#again.size > 0;
  }

  async #takeTurn(): Promise<void> {
    const { open, round } = this.#todo;
    this.#todo.open = false;
    this.#todo.round = false;
    if (open) await this.#open();
    await this.#files.examine(take(this.#again), { force: true });
    await this.#files.examine(take(this.#names));
    if (this.#todo.list) await this.#files.examine(await this.#list(round), { round });
    if (round) await this.#files.expire();
  }

  async #list(round: boolean): Promise<string[]> {
    const { all } = this.#todo;
    this.#todo.list = false;
    this.#todo.all = false;
    const { names, temps } = await listFiles(this.#files.directory);
    if (round) await this.#temps.sweep(this.#files.directory, temps);
    return this.#files.differences(names, all);
  }

  async #open(): Promise<void> {
    const { root, bucket, onReplaced } = this.#options;
    const state = (await root.bucket(bucket)) ?? (await root.ensureBucket(bucket));
    const before = this.#identity;
    if (state.identity !== before) {
      this.#detach();
      this.#identity = state.identity;
      this.#files.directory = state.path;
      this.#todo.all = true;
      if (before !== undefined) {
        for (const { queue } of this.#watchers) queue.resync();
        onReplaced();
      }
    }
    if (this.watched) this.#attach(state.path);
    const listed = state.mtimeMs === this.#listedAt && state.identity === before;
    if (!listed || this.#listOnceMore) this.#todo.list = true;
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
      const watching = watchDirectory(path, (name) => this.#onEvent(path, name), fail);
      this.#watching = watching;
    } catch (error) {
      fail(error);
    }
  }

  #onEvent(path: string, name: string | null): void {
    if (!this.watched) return;
    // its own name: the directory itself was moved or removed, and the watch with it
    const itself = name === basename(path);
    if (name !== null && !name.startsWith(".")) this.#names.add(name);
    else if (name !== null) return;
    void this.#turn(itself || name === null ? { open: true, list: true, all: true } : {});
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
    this.#pollsSoon = this.#files.rereads.urgent;
    const wait = this.#pollsSoon ? Math.min(soon, pollInterval) : pollInterval;
    this.#cancelPoll = clock.schedule(() => void this.#poll(), wait);
  }

  async #poll(): Promise<void> {
    this.#pollsSoon = false;
    const now = this.#options.clock.monotonic();
    for (const name of this.#files.rereads.due(now)) this.#again.add(name);
    await this.#turn({ open: true });
    this.#schedulePoll();
  }

  #fails(cause: unknown): void {
    const { bucket, reporter, root } = this.#options;
    const error = storeError(cause, "read the bucket", `${root.path}/${bucket}`);
    reporter.failed(bucket, error);
    if (this.#failure) return;
    this.#failure = error;
    for (const { onInterruption } of this.#watchers) onInterruption?.(error);
  }

  #works(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.reporter.works(this.#options.bucket);
    for (const { onInterruption, queue } of this.#watchers) {
      onInterruption?.(undefined);
      queue.resync();
    }
  }
}

function merge(todo: Todo, more: Partial<Todo>): Todo {
  return {
    open: todo.open || more.open === true,
    list: todo.list || more.list === true,
    all: todo.all || more.all === true,
    round: todo.round || more.round === true,
  };
}

function take<T>(set: Set<T>): T[] {
  const items = [...set];
  set.clear();
  return items;
}
