import type { DiscoveryNotifier } from "@muster/core";

/**
 * Hands on what is said to a notifier. What that throws goes to `onFailure`, not to whoever spoke: one of
 * several things that are followed at once, of which none would end the others.
 */
export function guardNotifier(
  notifier: DiscoveryNotifier,
  onFailure: (error: unknown) => void,
): DiscoveryNotifier {
  const guard = (say: () => void): void => {
    try {
      say();
    } catch (error) {
      onFailure(error);
    }
  };
  return {
    upsert: (metadata, options) => guard(() => notifier.upsert(metadata, options)),
    delete: (id) => guard(() => notifier.delete(id)),
    degraded: (reason) => guard(() => notifier.degraded(reason)),
    recovered: () => guard(() => notifier.recovered()),
  };
}
