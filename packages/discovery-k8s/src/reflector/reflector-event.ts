import type { MusterError } from "@muster/core";
import type { KubeObject } from "./kube-object.ts";

/**
 * What a reflector reports. Objects that were there come as `Added`, then one `Synced`; then each
 * change. After every new list the differences come, then `Synced` again. An object that was replaced
 * by another of its name (a new uid) is `Deleted`, then `Added`. Of a deleted object only apiVersion,
 * kind, name, namespace and uid are left. `Synced` says that a list is complete and read, not that the
 * watch after it works: that is what `onInterruption` says.
 */
export type ReflectorEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "Added" | "Modified" | "Deleted"; readonly object: T }
  | { readonly type: "Synced" };

/** How a reflector is doing. */
export interface ReflectorState {
  /** Objects known. */
  readonly objects: number;
  /** When the last list was complete, ms since the epoch. */
  readonly lastSync: number | undefined;
  /** Lists that had to be begun because a list or watch failed or ended too early. */
  readonly restarts: number;
  /** Lists and watches that failed. */
  readonly errors: number;
  /** Lines and objects that could not be understood. */
  readonly malformed: number;
  /** Where the watch is; opaque. */
  readonly resourceVersion: string | undefined;
  /** Why it cannot follow now; undefined while it does. */
  readonly problem: MusterError | undefined;
}
