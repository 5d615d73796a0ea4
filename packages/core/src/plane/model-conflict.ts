import { isMusterError, MusterError } from "../errors.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { type ModelIdentity, readModelIdentity } from "./model-identity.ts";
import type { ModelInstance } from "./model-instance.ts";

/**
 * Why a model cannot be registered beside others: a record of its endpoint, of another instance or
 * suffix, that does not fit. Two base models fit when they have one display name, or one source path
 * and no name in common; an adapter and a base when they share their base identity and the adapter's
 * name is none of the base's; two adapters when they share their base identity. Records that cannot be
 * read do not count.
 *
 * @returns a PLANE_CONFLICT, or undefined when everything fits
 * @throws MusterError PLANE_CARD when the candidate's card cannot be read.
 */
export function findModelConflict(
  candidate: ModelInstance,
  others: Iterable<DiscoveryInstance>,
): MusterError | undefined {
  const identity = readModelIdentity(candidate);
  for (const other of others) {
    if (other.type !== "Model" || !besides(candidate, other)) continue;
    const present = identityOf(other);
    if (present !== undefined && !compatible(identity, present))
      return conflict(candidate, identity, present);
  }
  return undefined;
}

function besides(a: ModelInstance, b: ModelInstance): boolean {
  return (
    a.namespace === b.namespace &&
    a.component === b.component &&
    a.endpoint === b.endpoint &&
    (a.instanceId !== b.instanceId || a.modelSuffix !== b.modelSuffix)
  );
}

function identityOf(model: ModelInstance): ModelIdentity | undefined {
  try {
    return readModelIdentity(model);
  } catch (error) {
    // somebody's broken card must not keep everybody else from registering
    if (isMusterError(error)) return undefined;
    throw error;
  }
}

function compatible(a: ModelIdentity, b: ModelIdentity): boolean {
  if (a.isLora !== b.isLora) {
    const [base, adapter] = a.isLora ? [b, a] : [a, b];
    return base.baseIdentity === adapter.baseIdentity && !namesOf(base).has(adapter.displayName);
  }
  if (a.isLora) return a.baseIdentity === b.baseIdentity;
  if (a.displayName === b.displayName) return true;
  if (a.sourcePath === undefined || a.sourcePath !== b.sourcePath) return false;
  const names = namesOf(b);
  return ![...namesOf(a)].some((name) => names.has(name));
}

function namesOf({ displayName, aliases }: ModelIdentity): Set<string> {
  return new Set([displayName, ...aliases]);
}

function conflict(
  { namespace, component, endpoint }: ModelInstance,
  { displayName }: ModelIdentity,
  present: ModelIdentity,
): MusterError {
  return new MusterError(
    "PLANE_CONFLICT",
    `Cannot register model '${displayName}' on endpoint '${namespace}/${component}/${endpoint}': ` +
      `a different model '${present.displayName}' is already registered there`,
  );
}
