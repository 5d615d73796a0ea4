import type { KubeObject } from "./kube-object.ts";
import type { ReflectorEvent } from "./reflector-event.ts";

/** What the reader has to be told of one key. */
interface Pending<T extends KubeObject> {
  /** What it was told of, and is gone. */
  deleted?: T | undefined;
  /** What is there now. */
  present?: T | undefined;
}

/**
 * What a reader has not seen yet: at most one deletion and one object for each key, so that a slow
 * reader misses steps but no outcome, and memory is bounded by the number of objects.
 */
export class PendingEvents<T extends KubeObject> {
  /** Keys the reader was told of and not told the end of. */
  readonly #seen = new Set<string>();
  /** In the order in which keys first changed; `synced` marks stand among them. */
  readonly #pending = new Map<string | symbol, Pending<T>>();
  /** Stands where reading has come to: from the start, all that was read would be passed by each time. */
  #unread = this.#pending.entries();
  readonly #ready: ReflectorEvent<T>[] = [];
  #synced: symbol | undefined;

  /** An object is there, or has changed. */
  upsert(key: string, object: T): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) this.#pending.set(key, { present: object });
    else pending.present = object;
  }

  /** An object is gone. */
  delete(key: string, tombstone: T): void {
    const pending = this.#pending.get(key);
    const known = this.#seen.has(key);
    if (pending !== undefined) {
      pending.present = undefined;
      if (known) pending.deleted ??= tombstone;
      if (pending.deleted === undefined) this.#pending.delete(key);
    } else if (known) this.#pending.set(key, { deleted: tombstone });
  }

  /** Everything said so far is one complete picture. */
  synced(): void {
    this.interrupted();
    this.#synced = Symbol("synced");
    this.#pending.set(this.#synced, {});
  }

  /** The picture is in doubt: a mark that nobody has read yet would say too much. */
  interrupted(): void {
    if (this.#synced === undefined) return;
    this.#pending.delete(this.#synced);
    this.#synced = undefined;
  }

  /** The next event, or undefined. */
  next(): ReflectorEvent<T> | undefined {
    const ready = this.#ready.shift();
    if (ready !== undefined) return ready;
    const first = this.#first();
    if (first === undefined) return undefined;
    const [key, pending] = first;
    this.#pending.delete(key);
    if (typeof key !== "symbol") return this.#eventOf(key, pending);
    this.#synced = undefined;
    return { type: "Synced" };
  }

  #first(): readonly [string | symbol, Pending<T>] | undefined {
    const found = this.#unread.next();
    if (!found.done) return found.value;
    if (this.#pending.size === 0) return undefined;
    // one that has come to the end does not go on
    this.#unread = this.#pending.entries();
    return this.#unread.next().value;
  }

  #eventOf(key: string, { deleted, present }: Pending<T>): ReflectorEvent<T> {
    if (present === undefined) {
      this.#seen.delete(key);
      return { type: "Deleted", object: deleted as T };
    }
    if (deleted !== undefined) {
      this.#ready.push({ type: "Added", object: present });
      return { type: "Deleted", object: deleted };
    }
    const type = this.#seen.has(key) ? "Modified" : "Added";
    this.#seen.add(key);
    return { type, object: present };
  }
}
