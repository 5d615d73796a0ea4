import { type ApiObject, isJsonObject, type JsonObject, type ManagedField } from "./api-object.ts";
import { writeJson } from "./json.ts";
import { getOwn, setOwn } from "./patches.ts";
import { StatusError } from "./status.ts";

/** Who applies, and whether over the heads of others. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  readonly time: string;
}

/** A field's path, as one string that no other path has. */
type Path = string;

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
  const mine = new Set(leaves(withoutServerFields(applied)));
  const before = ownedBy(present, manager);
  const result: JsonObject = isJsonObject(present) ? structuredClone(present) : {};
  const disputed = others.filter((entry) =>
    pathsOf(entry).some((path) => mine.has(path) && !sameAt(present, applied, path)),
  );
  if (disputed.length > 0 && !force) throw applyConflict(disputed);
  const kept = others.map((entry) => (disputed.includes(entry) ? without(entry, mine) : entry));
  const keptPaths = new Set(kept.flatMap(pathsOf));
  for (const path of before) if (!mine.has(path) && !keptPaths.has(path)) removeAt(result, path);
  const merged = merge(result, applied) as JsonObject;
  const entry: ManagedField = {
    manager,
    operation: "Apply",
    apiVersion: String(applied.apiVersion),
    time,
    fieldsType: "FieldsV1",
    fieldsV1: Object.fromEntries([...mine].map((path) => [path, {}])),
  };
  const metadata = isJsonObject(merged.metadata) ? merged.metadata : {};
  return {
    ...merged,
    metadata: {
      ...metadata,
      managedFields: [...kept.filter((other) => pathsOf(other).length > 0), entry],
    },
  };
}

/** Objects merge, the rest replaces; unlike in a merge patch, a null is a value. */
function merge(target: unknown, applied: unknown): unknown {
  if (!isJsonObject(applied)) return applied;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(applied))
    setOwn(result, key, merge(getOwn(result, key), value));
  return result;
}

function withoutServerFields(applied: JsonObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = applied;
  if (!isJsonObject(metadata)) return rest;
  const { name: _name, namespace: _namespace, managedFields: _fields, ...said } = metadata;
  return Object.keys(said).length === 0 ? rest : { ...rest, metadata: said };
}

/** Every leaf; an empty object is one. */
function leaves(value: unknown, at: readonly string[] = []): Path[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [JSON.stringify(at)];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, [...at, key]));
}

function pathsOf(entry: ManagedField): Path[] {
  return Object.keys(entry.fieldsV1);
}

function ownedBy(present: ApiObject | undefined, manager: string): Path[] {
  const entries = present?.metadata.managedFields ?? [];
  return entries
    .filter((entry) => entry.manager === manager && entry.operation === "Apply")
    .flatMap(pathsOf);
}

function without(entry: ManagedField, taken: ReadonlySet<Path>): ManagedField {
  const left = pathsOf(entry).filter((path) => !taken.has(path));
  return { ...entry, fieldsV1: Object.fromEntries(left.map((path) => [path, {}])) };
}

function sameAt(a: unknown, b: unknown, path: Path): boolean {
  return writeJson(readAt(a, path)) === writeJson(readAt(b, path));
}

function readAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const part of JSON.parse(path) as string[])
    at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}

function removeAt(root: JsonObject, path: Path): void {
  const parts = JSON.parse(path) as string[];
  const last = parts.pop();
  let at: unknown = root;
  for (const part of parts) at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  if (last !== undefined && isJsonObject(at)) delete at[last];
}

function applyConflict(disputed: readonly ManagedField[]): StatusError {
  const managers = disputed.map(({ manager }) => `"${manager}"`).join(", ");
  return new StatusError(
    409,
    "Conflict",
    `Apply failed with ${disputed.length} conflict${disputed.length > 1 ? "s" : ""}: conflicts with ${managers}`,
  );
}
