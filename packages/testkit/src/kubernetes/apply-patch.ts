import { type ApiObject, isJsonObject, type JsonObject, type ManagedField } from "./api-object.ts";
import {
  type FieldPath,
  leaves,
  ownable,
  ownerEntry,
  pathsOf,
  removeAt,
  sameAt,
  without,
} from "./field-owners.ts";
import { getOwn, setOwn } from "./patches.ts";
import { StatusError } from "./status.ts";

/** Who applies, and whether over the heads of others. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  readonly time: string;
}

/**
 * Server-side apply: what the manager applies is set; what it applied before and does not now is removed
 * unless another manager owns it too; what another owns with another value is a conflict unless forced.
 * Lists are replaced as a whole.
 */
export function applyPatch(
  present: ApiObject | undefined,
  applied: JsonObject,
  { manager, force, time }: ApplyOptions,
): JsonObject {
  const others = (present?.metadata.managedFields ?? []).filter(
    (entry) => entry.manager !== manager || entry.operation !== "Apply",
  );
  const mine = new Set(leaves(ownable(applied)));
  const disputed = others.filter((entry) =>
    pathsOf(entry).some((path) => mine.has(path) && !sameAt(present, applied, path)),
  );
  if (disputed.length > 0 && !force) throw applyConflict(disputed);
  const kept = others.map((entry) => (disputed.includes(entry) ? without(entry, mine) : entry));
  const result: JsonObject = isJsonObject(present) ? structuredClone(present) : {};
  const stays = new Set([...mine, ...kept.flatMap(pathsOf)]);
  for (const path of ownedBy(present, manager)) if (!stays.has(path)) removeAt(result, path, stays);
  const merged = merge(result, applied) as JsonObject;
  const apiVersion = String(applied.apiVersion);
  const entry = ownerEntry({ manager, operation: "Apply", apiVersion, time }, mine);
  const owners = [...kept.filter((other) => pathsOf(other).length > 0), entry];
  const metadata = isJsonObject(merged.metadata) ? merged.metadata : {};
  return { ...merged, metadata: { ...metadata, managedFields: keepTimes(present, owners) } };
}

/** Applying the same again changes nothing, the time included. */
function keepTimes(present: ApiObject | undefined, owners: ManagedField[]): ManagedField[] {
  const before = present?.metadata.managedFields ?? [];
  return owners.map((owner) => before.find((old) => isSame(old, owner)) ?? owner);
}

function isSame(a: ManagedField, b: ManagedField): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    JSON.stringify(pathsOf(a).sort()) === JSON.stringify(pathsOf(b).sort())
  );
}

/** Objects merge, the rest replaces; unlike in a merge patch, a null is a value like any other. */
function merge(target: unknown, applied: unknown): unknown {
  if (!isJsonObject(applied)) return applied;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(applied))
    setOwn(result, key, merge(getOwn(result, key), value));
  return result;
}

function ownedBy(present: ApiObject | undefined, manager: string): FieldPath[] {
  const entries = present?.metadata.managedFields ?? [];
  return entries
    .filter((entry) => entry.manager === manager && entry.operation === "Apply")
    .flatMap(pathsOf);
}

function applyConflict(disputed: readonly ManagedField[]): StatusError {
  const managers = disputed.map(({ manager }) => `"${manager}"`).join(", ");
  return new StatusError(
    409,
    "Conflict",
    `Apply failed with ${disputed.length} conflict${disputed.length > 1 ? "s" : ""}: conflicts with ${managers}`,
  );
}
