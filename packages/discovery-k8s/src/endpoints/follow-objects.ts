import { type MusterError, toMusterError } from "@muster/core";
import { type KubeObject, objectKey } from "../reflector/kube-object.ts";
import type { Reflector } from "../reflector/reflector.ts";
import { Continuity } from "./continuity.ts";
import type { EndpointRoll, NamedEndpoint } from "./endpoint-roll.ts";
import type { InvalidObjects } from "./invalid-objects.ts";

/** Told of each thing in an object that cannot be used. */
export type OnInvalid = (problem: MusterError) => void;

/** How one resource is followed into a roll. */
export interface FollowOptions<T extends KubeObject> {
  readonly reflector: Reflector<T>;
  readonly roll: EndpointRoll;
  readonly invalid: InvalidObjects;
  /** Namespace, or what else tells keys of this resource from those of others in the roll. */
  readonly scope: string;
  readonly signal: AbortSignal;
  /** A coded error that it throws is told as well, and leaves the whole object out. */
  endpointsOf(object: T, onInvalid: OnInvalid): readonly NamedEndpoint[];
  /** Everything that is there has been reported. */
  onSynced(): void;
  /** Why the resource cannot be followed; undefined: it is, and what was missed has been reported. */
  onProblem(problem: MusterError | undefined): void;
}

/**
 * Keeps a roll in step with a resource until `signal` aborts. What the roll had of this scope before and
 * the first list does not have is removed when that list is complete, not before.
 */
export async function followObjects<T extends KubeObject>(
  options: FollowOptions<T>,
): Promise<void> {
  const { reflector, roll, invalid, scope, signal, onProblem } = options;
  const seen = new Set<string>();
  const continuity = new Continuity();
  const onInterruption = (problem: MusterError | undefined): void => {
    continuity.interruption(problem);
    if (!signal.aborted) onProblem(continuity.problem);
  };
  const remove = (key: string): void => {
    roll.remove(key);
    invalid.report(key, []);
  };
  for await (const event of reflector.events({ signal, onInterruption })) {
    if (event.type === "Synced") {
      for (const key of [...roll.keys()])
        if (key.startsWith(`${scope} `) && !seen.has(key)) remove(key);
      options.onSynced();
      continuity.synced();
      onProblem(continuity.problem);
      continue;
    }
    const key = `${scope} ${objectKey(event.object)}`;
    if (event.type === "Deleted") {
      seen.delete(key);
      remove(key);
    } else {
      seen.add(key);
      const problems: MusterError[] = [];
      roll.set(
        key,
        read(event.object, options, (problem) => problems.push(problem)),
      );
      invalid.report(key, problems);
    }
  }
}

function read<T extends KubeObject>(
  object: T,
  { endpointsOf }: FollowOptions<T>,
  onInvalid: OnInvalid,
): readonly NamedEndpoint[] {
  try {
    return endpointsOf(object, onInvalid);
  } catch (error) {
    onInvalid(toMusterError(error, "DISCOVERY_ENTRY"));
    return [];
  }
}
