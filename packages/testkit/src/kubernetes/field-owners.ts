import { type ApiObject, isJsonObject, type JsonObject, type ManagedField } from "./api-object.ts";
import { writeJson } from "./json.ts";

/** A field's path, as one string that no other path has. */
export type FieldPath = string;

/** Every leaf that somebody can own; an empty object, a whole list and null are leaves. */
export function leaves(value: unknown, at: readonly string[] = []): FieldPath[] {
  if (value === undefined) return [];
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [JSON.stringify(at)];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, [...at, key]));
}

/** The part of an object that has owners: not what only the server writes. */
export function ownable({ apiVersion: _version, kind: _kind, ...rest }: JsonObject): JsonObject {
  const { metadata, ...others } = rest;
  if (!isJsonObject(metadata)) return others;
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const said = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return said.length === 0 ? others : { ...others, metadata: Object.fromEntries(said) };
}

/** What an entry owns. */
export function pathsOf(entry: ManagedField): FieldPath[] {
  return Object.keys(entry.fieldsV1);
}

/** An entry that owns these paths. */
export function ownerEntry(
  entry: Omit<ManagedField, "fieldsType" | "fieldsV1">,
  paths: Iterable<FieldPath>,
): ManagedField {
  const fieldsV1 = Object.fromEntries([...paths].map((path) => [path, {}]));
  return { ...entry, fieldsType: "FieldsV1", fieldsV1 };
}

/** An entry that owns these paths no more. */
export function without(entry: ManagedField, taken: ReadonlySet<FieldPath>): ManagedField {
  return ownerEntry(
    entry,
    pathsOf(entry).filter((path) => !taken.has(path)),
  );
}

/** Whether both have the same at a path. */
export function sameAt(a: unknown, b: unknown, path: FieldPath): boolean {
  return writeJson(readAt(a, path)) === writeJson(readAt(b, path));
}

/** Removes what is at a path, and what is left empty above it unless that path is to stay. */
export function removeAt(root: JsonObject, path: FieldPath, stays: ReadonlySet<FieldPath>): void {
  const parts = JSON.parse(path) as string[];
  const last = parts.pop();
  const parent = JSON.stringify(parts);
  const at = parts.length === 0 ? root : readAt(root, parent);
  if (last === undefined || !isJsonObject(at)) return;
  delete at[last];
  if (Object.keys(at).length === 0 && !stays.has(parent)) removeAt(root, parent, stays);
}

/** The owners after a write that was no apply: what it changed is the writer's. */
export function ownersAfterUpdate(
  before: ApiObject | undefined,
  after: JsonObject,
  { manager, time }: { readonly manager: string; readonly time: string },
): ManagedField[] {
  const present = before?.metadata.managedFields ?? [];
  const now = ownable(after);
  const has = new Set(leaves(now));
  const changed = new Set([...has].filter((path) => !sameAt(before, after, path)));
  const isMine = (entry: ManagedField): boolean =>
    entry.manager === manager && entry.operation === "Update";
  const others = present
    .filter((entry) => !isMine(entry))
    .map((entry) => {
      const gone = pathsOf(entry).filter((path) => !has.has(path));
      return without(entry, new Set([...changed, ...gone]));
    })
    .filter((entry) => pathsOf(entry).length > 0);
  const kept = present
    .filter(isMine)
    .flatMap(pathsOf)
    .filter((path) => has.has(path));
  const mine = new Set([...kept, ...changed]);
  if (mine.size === 0) return others;
  const apiVersion = String(after.apiVersion);
  return [...others, ownerEntry({ manager, operation: "Update", apiVersion, time }, mine)];
}

function readAt(root: unknown, path: FieldPath): unknown {
  let at = root;
  for (const part of JSON.parse(path) as string[])
    at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}
