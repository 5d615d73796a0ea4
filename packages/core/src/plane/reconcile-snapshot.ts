import type { MusterError } from "../errors.ts";
import { classifyDiscoveryChange } from "./classify-discovery-change.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";

/** What a complete list of records means to somebody who knows others. */
export interface SnapshotChange {
  /** All `Removed` first, then what is new or changed. */
  readonly events: readonly DiscoveryEvent[];
  /** What is known afterwards, by key of id: a model that became another is still the first one. */
  readonly known: Map<string, DiscoveryInstance>;
  /** One for each of those models. */
  readonly rejected: readonly MusterError[];
}

/** Compares what is known with everything there is; of two records with one id the last counts. */
export function applySnapshot(
  known: Iterable<DiscoveryInstance>,
  full: Iterable<DiscoveryInstance>,
): SnapshotChange {
  const before = byKey(known);
  const after = byKey(full);
  const events: DiscoveryEvent[] = [];
  const rejected: MusterError[] = [];
  for (const [key, instance] of before)
    if (!after.has(key)) events.push({ type: "Removed", id: instance.id() });
  for (const [key, instance] of after) {
    const existing = before.get(key);
    const change = classifyDiscoveryChange(existing, instance);
    if (change.type === "Added") events.push(change);
    else if (change.type === "ModelTaintsUpdated") {
      const { type, id, taints } = change;
      events.push({ type, id, taints });
    } else {
      if (existing !== undefined) after.set(key, existing);
      if (change.type === "Rejected") rejected.push(change.problem);
    }
  }
  return { events, known: after, rejected };
}

/** The events that lead from what is known to everything there is, as {@link applySnapshot} has them. */
export function reconcileSnapshot(
  known: Iterable<DiscoveryInstance>,
  full: Iterable<DiscoveryInstance>,
): readonly DiscoveryEvent[] {
  return applySnapshot(known, full).events;
}

/** Those of {@link reconcileSnapshot}, then one `Resync` with what is known afterwards. */
export function resyncEvents(
  known: Iterable<DiscoveryInstance>,
  full: Iterable<DiscoveryInstance>,
): readonly DiscoveryEvent[] {
  const change = applySnapshot(known, full);
  return [...change.events, { type: "Resync", instances: [...change.known.values()] }];
}

function byKey(instances: Iterable<DiscoveryInstance>): Map<string, DiscoveryInstance> {
  const map = new Map<string, DiscoveryInstance>();
  for (const instance of instances) map.set(instance.id().key, instance);
  return map;
}
