import { type ApiObject, isJsonObject, type JsonObject } from "./api-object.ts";
import { writeJson } from "./json.ts";
import type { ObjectPlace } from "./object-place.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";
import { badRequest, conflict, invalid } from "./status.ts";

/** A body with the fields that the path says, and a name where the server is to make one. */
export function named(
  type: ResourceType,
  namespace: string | undefined,
  body: JsonObject,
): JsonObject {
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  const { generateName, name } = metadata;
  const made =
    name === undefined && typeof generateName === "string"
      ? generateName + globalThis.crypto.randomUUID().slice(0, 5)
      : name;
  if (metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest("the namespace of the object does not match the namespace of the request");
  if (type.custom && (body.kind === undefined || body.apiVersion === undefined))
    throw badRequest("Object 'Kind' or 'apiVersion' is missing");
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    ...body,
    metadata: { ...metadata, name: made, ...(namespace !== undefined && { namespace }) },
  };
}

/** What a body that replaces an object must not say otherwise. @throws StatusError 400, 409, 422 */
export function checkReplacement(place: ObjectPlace, before: ApiObject, after: JsonObject): void {
  const { name, uid, resourceVersion } = after.metadata as JsonObject;
  const { type } = place;
  const what = `${type.plural} "${place.name}"`;
  if (name !== place.name)
    throw badRequest(
      `the name of the object (${String(name)}) does not match the name on the URL (${place.name})`,
    );
  if (uid !== undefined && uid !== before.metadata.uid)
    throw conflict(
      what,
      `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${before.metadata.uid}`,
    );
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
    throw conflict(
      what,
      "the object has been modified; please apply your changes to the latest version and try again",
    );
  if (type.kind === "Pod" && place.subresource === undefined) checkPodSpec(what, before, after);
}

/** Of a pod's specification hardly anything can change. */
function checkPodSpec(what: string, before: ApiObject, after: JsonObject): void {
  if (writeJson(fixedSpec(before.spec)) === writeJson(fixedSpec(after.spec))) return;
  throw invalid(
    `Pod ${what}`,
    "spec: Forbidden: pod updates may not change fields other than images, tolerations and deadlines",
  );
}

function fixedSpec(spec: unknown): unknown {
  if (!isJsonObject(spec)) return spec;
  const {
    activeDeadlineSeconds: _deadline,
    terminationGracePeriodSeconds: _grace,
    tolerations: _tolerations,
    ...rest
  } = spec;
  const fixed = Object.entries(rest).map(([key, value]) =>
    /^(initC|c)ontainers$/.test(key) && Array.isArray(value)
      ? [key, value.map((container) => ({ ...container, image: "" }))]
      : [key, value],
  );
  return Object.fromEntries(fixed.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** What `generation` counts: everything but metadata, and but status where that has a path of its own. */
export function desiredState(type: ResourceType, object: JsonObject): string {
  const { metadata: _metadata, status, ...rest } = object;
  return writeJson(type.status ? rest : { ...rest, status });
}
