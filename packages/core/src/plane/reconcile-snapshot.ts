import { classifyDiscoveryChange } from "./classify-discovery-change.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";

/**
 * The events that lead from what is known to everything there is: all `Removed` first, then what is new
 * or changed. A record that may not change in place is no event: the known one stays. Of two records with
 * one id the last counts.
 */
export function reconcileSnapshot(
  known: Iterable<DiscoveryInstance>,
  full: Iterable<DiscoveryInstance>,
): readonly DiscoveryEvent[] {
  const before = byKey(known);
  const after = byKey(full);
  const events: DiscoveryEvent[] = [];
  for (const [key, instance] of before)
    if (!after.has(key)) events.push({ type: "Removed", id: instance.id() });
  for (const [key, instance] of after) {
    const change = classifyDiscoveryChange(before.get(key), instance);
    if (change.type === "Added") events.push(change);
    else if (change.type === "ModelTaintsUpdated") {
      const { type, id, taints } = change;
      events.push({ type, id, taints });
    }
  }
  return events;
}

function byKey(instances: Iterable<DiscoveryInstance>): Map<string, DiscoveryInstance> {
  const map = new Map<string, DiscoveryInstance>();
  for (const instance of instances) map.set(instance.id().key, instance);
  return map;
}
