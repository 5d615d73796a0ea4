import { classifyDiscoveryChange, type DiscoveryChange } from "./classify-discovery-change.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";

/** An event, and what it makes of a reader's set of records. */
export interface DiscoveryStep {
  readonly event: DiscoveryEvent;
  /** `key` of the id it is about; undefined for `Resync`. */
  readonly key: string | undefined;
  /** The record as it is afterwards; undefined when it is gone. */
  readonly after: DiscoveryInstance | undefined;
}

/** The step for a change that is to be reported. */
export function changeStep(
  key: string,
  change: Extract<DiscoveryChange, { readonly instance: unknown }>,
): DiscoveryStep {
  const { type, instance: after } = change;
  if (type === "Added") return { event: { type, instance: after }, key, after };
  return { event: { type, id: change.id, taints: change.taints }, key, after };
}

export function removedStep(key: string, id: DiscoveryInstanceId): DiscoveryStep {
  return { event: { type: "Removed", id }, key, after: undefined };
}

/**
 * What leads from one set of records to another: all `Removed` first, then additions and changes. A
 * record that may not change in place but is another one now was withdrawn and registered again in
 * between, which is `Removed` and `Added`.
 */
export function stepsBetween(
  from: ReadonlyMap<string, DiscoveryInstance>,
  to: ReadonlyMap<string, DiscoveryInstance>,
): DiscoveryStep[] {
  const removed: DiscoveryStep[] = [];
  const changed: DiscoveryStep[] = [];
  for (const [key, before] of from) if (!to.has(key)) removed.push(removedStep(key, before.id()));
  for (const [key, after] of to) {
    const before = from.get(key);
    if (before === after) continue;
    const change = classifyDiscoveryChange(before, after);
    switch (change.type) {
      case "Added":
      case "ModelTaintsUpdated":
        changed.push(changeStep(key, change));
        break;
      case "Rejected":
      case "Ignored":
        removed.push(removedStep(key, after.id()));
        changed.push(changeStep(key, { type: "Added", instance: after }));
    }
  }
  return removed.concat(changed);
}
