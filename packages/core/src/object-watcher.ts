import type { NotificationEvent } from "./events.ts";
import type { GroupVersionKind } from "./names.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Watches Kubernetes objects of any kind for the notification sources. Supplied by a plugin that can
 * reach an API server; the runtime opens one watch per kind and shares it.
 */
export interface ObjectWatcher extends Plugin {
  /**
   * All present objects as AddOrUpdate, then every change in order; objects are frozen. The runtime
   * drops updates without a new resourceVersion, and of a deleted object all but kind, name and
   * namespace. Ends when `signal` aborts or the iterator is returned; throws only when the watch can
   * never work (the kind does not exist and cannot appear).
   */
  watch(gvk: GroupVersionKind, options: { signal: AbortSignal }): AsyncIterable<NotificationEvent>;
}
