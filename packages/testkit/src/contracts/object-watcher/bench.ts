import type {
  GroupVersionKind,
  MusterError,
  NotificationEvent,
  ObjectWatcher,
  Unstructured,
} from "@muster/core";
import { StreamLog } from "../stream-log.ts";
import type { Closable } from "../test-api.ts";
import { defaultPatience, settled } from "../verify.ts";

/** One test's watcher, and the objects it looks at. */
export interface ObjectWatcherWorld extends Closable {
  readonly watcher: ObjectWatcher;
  /** Creates an object of the kind, or changes it: its annotation `mark` becomes this text. */
  put(name: string, mark: string): void | Promise<void>;
  /** Deletes it; resolves when it is gone. */
  remove(name: string): void | Promise<void>;
  /** Makes the kind `missing` appear, with one object of this name; unset: not tested. */
  install?(name: string): void | Promise<void>;
  /** Connections to what is watched that are open now; unset: not tested. */
  open?(): number;
}

/** What {@link describeObjectWatcher} needs. */
export interface ObjectWatcherHarness {
  make(): ObjectWatcherWorld | Promise<ObjectWatcherWorld>;
  /** The kind of the objects; there may be others of it, without an annotation `mark`. */
  readonly gvk: GroupVersionKind;
  /** A kind that does not exist. */
  readonly missing: GroupVersionKind;
  /** ms that a step may take; default 3000. */
  readonly patience?: number | undefined;
}

/** One watch that is being read, and what it gave. */
export class Watching {
  /** Codes it said it cannot follow the kind for; "" when it could again. */
  readonly conditions: string[] = [];
  readonly controller: AbortController;
  readonly log: StreamLog<NotificationEvent>;

  constructor(world: ObjectWatcherWorld, gvk: GroupVersionKind, patience: number) {
    this.controller = new AbortController();
    const stream = world.watcher.watch(gvk, {
      signal: this.controller.signal,
      onInterruption: (reason: MusterError | undefined) => this.conditions.push(reason?.code ?? ""),
    });
    this.log = new StreamLog(iteratorOf(stream), patience);
  }

  /** The objects that the test made, in the order in which they came. */
  get events(): readonly NotificationEvent[] {
    return this.log.events.filter(({ type, object }) => type === "Delete" || markOf(object));
  }

  /** Marks by name, as a reader knows them who applied every event. */
  get marks(): Record<string, string | undefined> {
    const marks = new Map<string, string | undefined>();
    for (const { type, object } of this.log.events) {
      const name = object.metadata?.name ?? "";
      if (type === "Delete") marks.delete(name);
      else if (markOf(object) !== undefined) marks.set(name, markOf(object));
    }
    return Object.fromEntries([...marks].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Waits until exactly these objects are there, with these marks. */
  async shows(marks: Record<string, string>, what: string): Promise<void> {
    await this.log.shows(() => this.marks, marks, what);
  }

  /** The newest object of a name. */
  newest(name: string): Unstructured | undefined {
    return this.log.events.findLast(({ object }) => object.metadata?.name === name)?.object;
  }
}

/** Makes worlds, runs a test in each, and lets go of them. */
export class ObjectWatcherBench {
  readonly harness: ObjectWatcherHarness;
  readonly patience: number;

  constructor(harness: ObjectWatcherHarness) {
    this.harness = harness;
    this.patience = harness.patience ?? defaultPatience;
  }

  /** A test in a world of its own; every watch it opened is ended afterwards, and must end. */
  test(body: (world: ObjectWatcherWorld, watch: WatchKind) => Promise<void>): () => Promise<void> {
    return async () => {
      const world = await this.harness.make();
      const open: Watching[] = [];
      const watch: WatchKind = (gvk = this.harness.gvk) => {
        const watching = new Watching(world, gvk, this.patience);
        open.push(watching);
        return watching;
      };
      try {
        await body(world, watch);
        for (const watching of open) watching.controller.abort();
        for (const watching of open) await watching.log.ends("a watch that was aborted");
      } finally {
        for (const watching of open) watching.controller.abort();
        await settled(world.watcher.stop?.(), "stop", this.patience);
        await world.close?.();
      }
    };
  }
}

/** Begins to watch and to read; default the kind of the harness. */
export type WatchKind = (gvk?: GroupVersionKind) => Watching;

/** The text that `put` gave an object. */
function markOf(object: Unstructured): string | undefined {
  return object.metadata?.annotations?.mark;
}

function iteratorOf<T>(stream: AsyncIterable<T>): AsyncIterableIterator<T> {
  return stream[Symbol.asyncIterator]() as AsyncIterableIterator<T>;
}
