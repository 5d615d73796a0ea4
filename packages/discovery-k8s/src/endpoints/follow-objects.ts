import { type EndpointMetadata, type MusterError, toMusterError } from "@muster/core";
import { type KubeObject, objectKey } from "../reflector/kube-object.ts";
import type { Reflector } from "../reflector/reflector.ts";
import type { EndpointRoll } from "./endpoint-roll.ts";

/** How one resource is followed into a roll. */
export interface FollowOptions<T extends KubeObject> {
  readonly reflector: Reflector<T>;
  readonly roll: EndpointRoll;
  /** Namespace, or what else tells keys of this resource from those of others in the roll. */
  readonly scope: string;
  readonly signal: AbortSignal;
  endpointsOf(object: T): readonly EndpointMetadata[];
  /** Everything that is there has been reported. */
  onSynced(): void;
  onProblem(problem: MusterError): void;
  /** An object cannot be understood and is left out. */
  onInvalid(key: string, problem: MusterError): void;
}

/**
 * Keeps a roll in step with a resource until `signal` aborts. What the roll had of this scope before and
 * the first list does not have is removed when that list is complete, not before.
 */
export async function followObjects<T extends KubeObject>(
  options: FollowOptions<T>,
): Promise<void> {
  const { reflector, roll, scope, signal, onProblem } = options;
  const seen = new Set<string>();
  const onInterruption = (problem: MusterError | undefined): void => {
    if (problem !== undefined && !signal.aborted) onProblem(problem);
  };
  for await (const event of reflector.events({ signal, onInterruption })) {
    if (event.type === "Synced") {
      for (const key of [...roll.keys()])
        if (key.startsWith(`${scope} `) && !seen.has(key)) roll.remove(key);
      options.onSynced();
      continue;
    }
    const key = `${scope} ${objectKey(event.object)}`;
    if (event.type === "Deleted") {
      seen.delete(key);
      roll.remove(key);
    } else {
      seen.add(key);
      roll.set(key, { uid: event.object.metadata.uid, endpoints: read(event.object, options) });
    }
  }
}

function read<T extends KubeObject>(
  object: T,
  { endpointsOf, onInvalid }: FollowOptions<T>,
): readonly EndpointMetadata[] {
  try {
    return endpointsOf(object);
  } catch (error) {
    onInvalid(objectKey(object), toMusterError(error, "DISCOVERY_ENTRY"));
    return [];
  }
}
