import type { ClusterCredentials } from "./cluster.ts";

/** ms for which credentials count; files and exec plugins are asked no more often than this. */
const kept = 10_000;
/** ms within which refreshing again gives what the first time gave: many requests fail at once. */
const keptFresh = 1_000;

/**
 * Asks for credentials now and then, for all requests at once, and never twice at a time: an exec plugin
 * that hangs would leave a process behind for every request. Failures are not kept.
 */
export function keepCredentials(
  ask: (refresh: boolean) => Promise<ClusterCredentials>,
): (options?: { readonly refresh?: boolean | undefined }) => Promise<ClusterCredentials> {
  let current: Promise<ClusterCredentials> | undefined;
  let asked = 0;
  let refreshed = Number.NEGATIVE_INFINITY;
  let waiting = false;
  return ({ refresh = false } = {}) => {
    const now = performance.now();
    const usable = refresh ? now - refreshed < keptFresh : now - asked < kept;
    if (current !== undefined && (usable || waiting)) return current;
    asked = now;
    if (refresh) refreshed = now;
    waiting = true;
    current = ask(refresh);
    current.then(
      () => {
        waiting = false;
      },
      () => {
        waiting = false;
        current = undefined;
      },
    );
    return current;
  };
}
