import type { MusterError } from "./errors.ts";
import type { NotificationEvent } from "./events.ts";
import type { FollowState } from "./follow-state.ts";
import type { GroupVersionKind } from "./names.ts";
import type { Plugin } from "./plugin.ts";

/** Options of {@link ObjectWatcher.watch}. */
export interface ObjectWatchOptions {
  readonly signal: AbortSignal;
  /**
   * Called with the reason when the kind cannot be followed (or not yet), and with undefined when it is
   * followed again.
   */
  readonly onInterruption?: ((reason: MusterError | undefined) => void) | undefined;
}

/**
 * Watches Kubernetes objects of any kind for the notification sources. Supplied by a plugin that can
 * reach an API server; the runtime opens one watch per kind and shares it.
 */
export interface ObjectWatcher extends Plugin {
  /**
   * All present objects as AddOrUpdate, then every change in order; objects are frozen, and shared by
   * all watches. The runtime drops updates without a new resourceVersion, and of a deleted object all
   * but kind, name and namespace. Ends when `signal` aborts, the iterator is returned or the watcher is
   * stopped. What may pass (a kind that is not there yet, a missing right, a server that is away) is
   * waited for and told to `onInterruption`; throws only when the watch can never work.
   */
  watch(gvk: GroupVersionKind, options: ObjectWatchOptions): AsyncIterable<NotificationEvent>;
  /** What it follows of a kind now, for the status of the runtime; empty while nobody watches it. */
  follows?(gvk: GroupVersionKind): readonly FollowState[];
}
