import { type KubeObject, objectKey } from "./kube-object.ts";
import type { PendingEvents } from "./pending-events.ts";

/** What is remembered of an object: enough to tell whether another one is the same. */
interface Known {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Names what every object of one list is, when the objects do not say it themselves. */
export interface ListKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The objects a reflector knows of; turns lists and watch events into differences. */
export class KnownObjects<T extends KubeObject> {
  readonly #known = new Map<string, Known>();
  readonly #pending: PendingEvents<T>;
  #kind: ListKind = {};
  /** The newest revision that an object or a list had, where those are numbers. */
  #newest = 0;

  constructor(pending: PendingEvents<T>) {
    this.#pending = pending;
  }

  get size(): number {
    return this.#known.size;
  }

  /**
   * A list of this revision begins. When it is older than what was seen before, the cluster has another
   * history, such as that of a backup: what has the same version there need not be the same.
   */
  listing(revision: string): void {
    const now = Number(revision);
    if (now < this.#newest)
      for (const [key, { uid }] of this.#known)
        this.#known.set(key, { uid, resourceVersion: undefined });
    this.#newest = Number.isNaN(now) ? 0 : now;
  }

  /** An object is there. What has no new resourceVersion, and is not known to differ, is not reported. */
  upsert(object: T, differs = false): void {
    const key = objectKey(object);
    const uid = object.metadata.uid ?? undefined;
    const resourceVersion = object.metadata.resourceVersion ?? undefined;
    const known = this.#known.get(key);
    if (known !== undefined && known.uid !== uid) this.#forget(key, known);
    else if (
      known !== undefined &&
      !differs &&
      resourceVersion !== undefined &&
      known.resourceVersion === resourceVersion
    )
      return;
    this.#known.set(key, { uid, resourceVersion });
    if (Number(resourceVersion) > this.#newest) this.#newest = Number(resourceVersion);
    this.#pending.upsert(key, object);
  }

  /** An object is gone; one of another uid than the known one is somebody else's end. */
  delete(object: T): void {
    const key = objectKey(object);
    const known = this.#known.get(key);
    const uid = object.metadata.uid ?? undefined;
    if (known === undefined) return;
    if (uid !== undefined && known.uid !== undefined && known.uid !== uid) return;
    this.#forget(key, known);
  }

  /** A list is complete: `keys` are all there are, everything else is gone. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, known] of this.#known) if (!keys.has(key)) this.#forget(key, known);
  }

  /** What lists say of the kind of their objects. */
  setKind(kind: ListKind): void {
    this.#kind = kind;
  }

  #forget(key: string, known: Known): void {
    this.#known.delete(key);
    this.#pending.delete(key, this.#tombstone(key, known));
  }

  #tombstone(key: string, { uid }: Known): T {
    const slash = key.indexOf("/");
    const metadata = {
      name: key.slice(slash + 1),
      ...(slash !== -1 && { namespace: key.slice(0, slash) }),
      ...(uid !== undefined && { uid }),
    };
    const { apiVersion, kind } = this.#kind;
    return Object.freeze({
      ...(apiVersion !== undefined && { apiVersion }),
      ...(kind !== undefined && { kind }),
      metadata: Object.freeze(metadata),
    }) as unknown as T;
  }
}
