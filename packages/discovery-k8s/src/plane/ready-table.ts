import type { ReadyEntry } from "./ready-entries.ts";

/** Who is ready, by what objects say: a worker in two slices is ready until both have dropped it. */
export class ReadyTable {
  readonly #objects = new Map<string, readonly ReadyEntry[]>();
  /** How often each uid is said of a name. */
  readonly #uids = new Map<string, Map<string | undefined, number>>();

  /** What an object says now; nothing when it is gone. @returns names that it may matter to */
  set(object: string, entries: readonly ReadyEntry[]): ReadonlySet<string> {
    const before = this.#objects.get(object) ?? [];
    for (const entry of entries) this.#count(entry, 1);
    for (const entry of before) this.#count(entry, -1);
    if (entries.length === 0) this.#objects.delete(object);
    else this.#objects.set(object, entries);
    return new Set([...before, ...entries].map(({ name }) => name));
  }

  /**
   * Whether a worker is ready, given the pod that its record belongs to: somebody says so, nobody says
   * it of another pod of this name, and the record is of this pod.
   */
  isReady(name: string, ownerUid: string | undefined): boolean {
    const uids = this.#uids.get(name);
    if (uids === undefined) return false;
    for (const uid of uids.keys()) if (uid !== undefined && uid !== ownerUid) return false;
    return true;
  }

  #count({ name, podUid }: ReadyEntry, by: 1 | -1): void {
    const uids = this.#uids.get(name) ?? new Map<string | undefined, number>();
    const count = (uids.get(podUid) ?? 0) + by;
    if (count > 0) uids.set(podUid, count);
    else uids.delete(podUid);
    if (uids.size > 0) this.#uids.set(name, uids);
    else this.#uids.delete(name);
  }
}
