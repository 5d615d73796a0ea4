import {
  type GroupVersionKind,
  type MusterError,
  type NotificationEvent,
  type ObjectWatchOptions,
  toMusterError,
  type Unstructured,
} from "@muster/core";
import { KnownObjects } from "../reflector/known-objects.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { PendingEvents } from "../reflector/pending-events.ts";

/** What every object of a kind says that it is. */
export interface KindIdentity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** `apiVersion` and `kind` of the objects of a kind. */
export function identityOf({ group, version, kind }: GroupVersionKind): KindIdentity {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

/**
 * One watch of a kind: what its reader knows, and what it has not read yet, which is bounded by the
 * number of objects.
 */
export class KindReader {
  /** Called when there may be something to read. */
  readonly wake: () => void;
  readonly #identity: KindIdentity;
  readonly #onInterruption: ObjectWatchOptions["onInterruption"];
  readonly #pending = new PendingEvents<KubeObject>();
  /** By namespace, each of which is listed by itself. */
  readonly #known = new Map<string, KnownObjects<KubeObject>>();

  constructor(
    identity: KindIdentity,
    wake: () => void,
    onInterruption: ObjectWatchOptions["onInterruption"],
  ) {
    this.#identity = identity;
    this.wake = wake;
    this.#onInterruption = onInterruption;
  }

  /** What the reader knows of one namespace; changes to it become events. */
  known(scope: string): KnownObjects<KubeObject> {
    const found = this.#known.get(scope);
    if (found !== undefined) return found;
    const made = new KnownObjects<KubeObject>(this.#pending);
    made.setKind(this.#identity);
    this.#known.set(scope, made);
    return made;
  }

  /** What it threw, if anything; a reader's fault must not hold up the others. */
  tell(problem: MusterError | undefined): MusterError | undefined {
    try {
      this.#onInterruption?.(problem);
      return undefined;
    } catch (error) {
      return toMusterError(error, "INTERNAL");
    }
  }

  next(): NotificationEvent | undefined {
    const event = this.#pending.next();
    if (event === undefined || event.type === "Synced") return undefined;
    if (event.type !== "Deleted")
      return Object.freeze({ type: "AddOrUpdate", object: event.object as Unstructured });
    const { name, namespace } = event.object.metadata;
    const metadata = Object.freeze({ name, ...(namespace !== undefined && { namespace }) });
    return Object.freeze({
      type: "Delete",
      object: Object.freeze({ ...this.#identity, metadata }),
    });
  }
}
