import { isJsonObject, type JsonObject } from "./api-object.ts";
import { writeJson } from "./json.ts";
import { badRequest, invalid } from "./status.ts";

/** RFC 7386: null removes, objects merge, the rest replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, mergePatch(getOwn(result, key), value));
  }
  return result;
}

/** A member by a name that may be `__proto__`. */
export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member by a name that may be `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly value?: unknown;
}

/** RFC 6902, the operations that clients use: add, replace, remove, test. */
export function jsonPatch(target: JsonObject, operations: unknown): JsonObject {
  if (!Array.isArray(operations)) throw badRequest("a JSON patch is a list of operations");
  const result = structuredClone(target);
  for (const operation of operations as Operation[]) applyOperation(result, operation);
  return result;
}

function applyOperation(root: JsonObject, { op, path, value }: Operation): void {
  const parts = pointer(path);
  const last = parts.pop();
  if (last === undefined) throw badRequest("a JSON patch cannot replace the whole object");
  const parent = parts.reduce<unknown>((at, part) => child(at, part), root);
  if (typeof parent !== "object" || parent === null) throw missing(path);
  const holder = parent as JsonObject;
  if (op === "test") {
    if (writeJson(child(holder, last)) !== writeJson(value))
      throw invalid("the patch", `testing ${String(path)} failed`);
  } else if (op === "remove") {
    if (child(holder, last) === undefined) throw missing(path);
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  } else if (op === "add" && Array.isArray(holder)) {
    holder.splice(last === "-" ? holder.length : Number(last), 0, value);
  } else if (op === "add" || (op === "replace" && child(holder, last) !== undefined)) {
    setOwn(holder, last, value);
  } else throw op === "replace" ? missing(path) : badRequest(`unknown operation ${String(op)}`);
}

function pointer(path: unknown): string[] {
  if (typeof path !== "string" || !path.startsWith("/")) throw badRequest("a path begins with /");
  return path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function child(at: unknown, part: string): unknown {
  if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
  return (at as JsonObject)[part];
}

function missing(path: unknown): Error {
  return invalid("the patch", `there is nothing at ${String(path)}`);
}
