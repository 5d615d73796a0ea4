import { isJsonObject, type JsonObject } from "./api-object.ts";
import { getOwn, setOwn } from "./patches.ts";
import { badRequest } from "./status.ts";

/** Lists whose items are told apart by one of their fields, by the list's name. */
const mergeKeys: ReadonlyMap<string, string> = new Map([
  ["containers", "name"],
  ["initContainers", "name"],
  ["volumes", "name"],
  ["volumeMounts", "mountPath"],
  ["env", "name"],
  ["imagePullSecrets", "name"],
  ["conditions", "type"],
  ["podIPs", "ip"],
  ["ownerReferences", "uid"],
]);

/** A strategic merge patch of a built-in kind: as a merge patch, but lists with a key are merged by it. */
export function strategicMerge(target: unknown, patch: unknown, field = ""): unknown {
  if (Array.isArray(patch)) return mergeList(target, patch, field);
  if (!isJsonObject(patch)) return patch;
  for (const key of Object.keys(patch))
    if (key.startsWith("$")) throw badRequest(`the directive ${key} is not supported here`);
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, strategicMerge(getOwn(result, key), value, key));
  }
  return result;
}

function mergeList(target: unknown, patch: readonly unknown[], field: string): unknown[] {
  const present: unknown[] = Array.isArray(target) ? target : [];
  if (field === "finalizers") return [...new Set([...present, ...patch])];
  const key = mergeKeys.get(field);
  if (key === undefined) return [...patch];
  const result = [...present];
  for (const item of patch) {
    const id = isJsonObject(item) ? item[key] : undefined;
    if (id === undefined) throw badRequest(`an item of ${field} has no ${key}`);
    const index = result.findIndex((other) => isJsonObject(other) && other[key] === id);
    if (index === -1) result.push(item);
    else result[index] = strategicMerge(result[index], item);
  }
  return result;
}
