import { MusterError } from "@muster/core";
import {
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryMetadata,
  type ModelCardInstanceId,
  type ModelInstance,
  withTaints,
} from "@muster/core/plane";

/** Puts a record in. @returns what is registered: a model that is there already stays */
export function putRecord(
  metadata: DiscoveryMetadata,
  instance: DiscoveryInstance,
): DiscoveryInstance {
  switch (instance.type) {
    case "Endpoint":
      metadata.registerEndpoint(instance);
      return instance;
    case "Model":
      return metadata.registerModelCard(instance);
    case "EventChannel":
      metadata.registerEventChannel(instance);
      return instance;
    case "EventSource":
      metadata.registerEventSource(instance);
      return instance;
  }
}

/** Takes a record out; one that is not there is no error. */
export function takeRecord(metadata: DiscoveryMetadata, id: DiscoveryInstanceId): void {
  switch (id.type) {
    case "Endpoint":
      metadata.unregisterEndpoint(id);
      break;
    case "Model":
      metadata.unregisterModelCard(id);
      break;
    case "EventChannel":
      metadata.unregisterEventChannel(id);
      break;
    case "EventSource":
      metadata.unregisterEventSource(id);
      break;
  }
}

/**
 * Replaces the taints of a base model; see `Discovery.updateModelTaints`.
 *
 * @throws MusterError NOT_FOUND, PLANE_TAINT, PLANE_CARD
 */
export function taintRecord(
  metadata: DiscoveryMetadata,
  id: ModelCardInstanceId,
  taints: readonly string[],
): ModelInstance {
  const model = [...metadata.modelCards.values()].find((each) => each.id().equals(id));
  const path = id.toPath();
  if (model === undefined)
    throw new MusterError("NOT_FOUND", `model ${path} is not registered`, { path });
  const tainted = withTaints(model, taints);
  metadata.unregisterModelCard(id);
  return metadata.registerModelCard(tainted);
}
