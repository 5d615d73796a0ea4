import { MusterError } from "../errors.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { ModelCardInstanceId } from "./model-card-instance-id.ts";
import type { ModelInstance } from "./model-instance.ts";
import { changedTaints } from "./model-taints.ts";

/** What a record that arrives means to somebody who knows another of the same id. */
export type DiscoveryChange =
  /** It is new, or an endpoint with a new value: it takes the known one's place. */
  | { readonly type: "Added"; readonly instance: DiscoveryInstance }
  /** A model of which only the taints differ: it takes the known one's place. */
  | {
      readonly type: "ModelTaintsUpdated";
      readonly id: ModelCardInstanceId;
      /** Sorted. */
      readonly taints: readonly string[];
      readonly instance: ModelInstance;
    }
  /** Nothing. */
  | { readonly type: "Unchanged" }
  /** A model that became another: the known one stays, `problem` (PLANE_CONFLICT) says so. */
  | { readonly type: "Rejected"; readonly problem: MusterError }
  /** An event channel or source that became another: the known one stays. */
  | { readonly type: "Ignored" };

/** Decides what `candidate` is, given the record with the same id that is known, if any. */
export function classifyDiscoveryChange(
  existing: DiscoveryInstance | undefined,
  candidate: DiscoveryInstance,
): DiscoveryChange {
  if (existing === undefined) return { type: "Added", instance: candidate };
  if (existing.equals(candidate)) return { type: "Unchanged" };
  if (candidate.type === "Endpoint") return { type: "Added", instance: candidate };
  if (candidate.type === "Model" && existing.type === "Model")
    return classifyModel(existing, candidate);
  return { type: "Ignored" };
}

function classifyModel(existing: ModelInstance, candidate: ModelInstance): DiscoveryChange {
  const id = candidate.id();
  if (existing.cardJson.equals(candidate.cardJson)) return { type: "Unchanged" };
  const taints = changedTaints(existing, candidate);
  if (taints !== undefined) return { type: "ModelTaintsUpdated", id, taints, instance: candidate };
  const problem = new MusterError(
    "PLANE_CONFLICT",
    `model record ${id.toPath()} became another model; the first one stays until it is unregistered`,
  );
  return { type: "Rejected", problem };
}
