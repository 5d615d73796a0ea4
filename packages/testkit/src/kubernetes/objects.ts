import { admit, prune, withDefaults } from "./admission.ts";
import { type ApiMeta, type ApiObject, isJsonObject, type JsonObject } from "./api-object.ts";
import { applyPatch } from "./apply-patch.ts";
import { collectGarbage } from "./garbage.ts";
import { writeJson } from "./json.ts";
import { jsonPatch, mergePatch } from "./patches.ts";
import {
  apiVersionOf,
  qualifiedName,
  type ResourceType,
  type ResourceTypes,
  storageKey,
} from "./resource-types.ts";
import { badRequest, conflict, notFound, StatusError } from "./status.ts";
import { objectKey, type Storage } from "./storage.ts";

/** One object, or one of its subresources. */
export interface ObjectPlace {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** `status`, or nothing. */
  readonly subresource?: string | undefined;
}

/** How to patch. */
export interface PatchOptions {
  readonly contentType: string;
  readonly fieldManager: string | undefined;
  readonly force: boolean;
}

/** What may be asked of a delete. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: unknown;
  readonly preconditions?: unknown;
}

/** Creates, changes and deletes objects as an API server does. */
export class ApiObjects {
  readonly #storage: Storage;
  readonly #types: ResourceTypes;
  readonly #now: () => string;

  constructor(storage: Storage, types: ResourceTypes, now: () => string) {
    this.#storage = storage;
    this.#types = types;
    this.#now = now;
  }

  get({ type, namespace, name }: ObjectPlace): ApiObject {
    const found = this.#storage.get(type, objectKey(namespace, name));
    if (found === undefined) throw notFound(`${qualifiedName(type)} "${name}"`);
    return present(type, found);
  }

  create(type: ResourceType, namespace: string | undefined, body: JsonObject): ApiObject {
    const given = this.#named(type, namespace, body);
    const { name } = given.metadata as JsonObject;
    const place: ObjectPlace = { type, namespace, name: String(name) };
    admit(type, given);
    this.#needsNamespace(namespace);
    if (this.#storage.get(type, objectKey(namespace, place.name)))
      throw new StatusError(
        409,
        "AlreadyExists",
        `${qualifiedName(type)} "${place.name}" already exists`,
      );
    const object = prune(type, given);
    const { status: _status, ...withoutStatus } = object;
    return this.#store(place, type.status ? withoutStatus : object, undefined);
  }

  update(place: ObjectPlace, body: JsonObject): ApiObject {
    const before = this.#stored(place);
    const { resourceVersion } = isJsonObject(body.metadata) ? body.metadata : {};
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw conflict(`${place.type.plural} "${place.name}"`, "the object has been modified");
    return this.#replace(place, before, body);
  }

  patch(place: ObjectPlace, patch: unknown, options: PatchOptions): ApiObject {
    const { contentType, fieldManager, force } = options;
    const before = this.#storage.get(place.type, objectKey(place.namespace, place.name));
    if (contentType.startsWith("application/apply-patch")) {
      if (fieldManager === undefined) throw badRequest("fieldManager is required for apply patch");
      if (!isJsonObject(patch)) throw badRequest("an apply patch is an object");
      return this.#apply(place, before, patch, { manager: fieldManager, force, time: this.#now() });
    }
    if (before === undefined) throw notFound(`${qualifiedName(place.type)} "${place.name}"`);
    const whole = present(place.type, before) as JsonObject;
    const after = contentType.startsWith("application/json-patch")
      ? jsonPatch(whole, patch)
      : mergePatch(whole, patch);
    const { resourceVersion } = (
      isJsonObject(patch) && isJsonObject(patch.metadata) ? patch.metadata : {}
    ) as Partial<ApiMeta>;
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw conflict(`${place.type.plural} "${place.name}"`, "the object has been modified");
    return this.#replace(place, before, after as JsonObject);
  }

  /** Marks what must not vanish at once (finalizers, a pod on a node), removes the rest. */
  delete(place: ObjectPlace, options: DeleteOptions = {}): ApiObject {
    const before = this.#stored(place);
    checkPreconditions(place, before, options);
    const grace = graceOf(before, options);
    const lingers = (before.metadata.finalizers ?? []).length > 0 || grace > 0;
    if (!lingers) return this.#remove(place.type, before);
    if (before.metadata.deletionTimestamp !== undefined) return before;
    const metadata: ApiMeta = {
      ...before.metadata,
      deletionTimestamp: this.#now(),
      deletionGracePeriodSeconds: grace,
    };
    return present(place.type, this.#storage.put(place.type, { ...before, metadata }));
  }

  #stored({ type, namespace, name }: ObjectPlace): ApiObject {
    const found = this.#storage.get(type, objectKey(namespace, name));
    if (found === undefined) throw notFound(`${qualifiedName(type)} "${name}"`);
    return found;
  }

  #named(type: ResourceType, namespace: string | undefined, body: JsonObject): JsonObject {
    const metadata = isJsonObject(body.metadata) ? body.metadata : {};
    const { generateName, name } = metadata;
    const made =
      name === undefined && typeof generateName === "string"
        ? generateName + globalThis.crypto.randomUUID().slice(0, 5)
        : name;
    if (metadata.namespace !== undefined && metadata.namespace !== namespace)
      throw badRequest("the namespace of the object does not match the namespace of the request");
    return {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      ...body,
      metadata: { ...metadata, name: made, ...(namespace !== undefined && { namespace }) },
    };
  }

  #needsNamespace(namespace: string | undefined): void {
    if (namespace === undefined) return;
    const type = this.#types.find("", "v1", "namespaces");
    if (type && !this.#storage.get(type, namespace)) throw notFound(`namespaces "${namespace}"`);
  }

  #apply(
    place: ObjectPlace,
    before: ApiObject | undefined,
    patch: JsonObject,
    options: Parameters<typeof applyPatch>[2],
  ): ApiObject {
    const given = this.#named(place.type, place.namespace, patch);
    if ((given.metadata as JsonObject).name !== place.name)
      throw badRequest("the name of the object does not match the name on the URL");
    const merged = applyPatch(before, given, options);
    if (before !== undefined) return this.#replace(place, before, merged);
    admit(place.type, merged);
    this.#needsNamespace(place.namespace);
    return this.#store(place, prune(place.type, merged), undefined);
  }

  #replace(place: ObjectPlace, before: ApiObject, body: JsonObject): ApiObject {
    const { type, subresource } = place;
    const given = this.#named(type, place.namespace, body);
    admit(type, given);
    const after = prune(type, given);
    if (subresource === "status")
      return this.#store(place, { ...before, status: after.status }, before);
    const status = type.status ? before.status : after.status;
    return this.#store(place, { ...after, ...(status !== undefined && { status }) }, before);
  }

  #store(place: ObjectPlace, object: JsonObject, before: ApiObject | undefined): ApiObject {
    const { type, name, namespace } = place;
    const given = object.metadata as Partial<ApiMeta>;
    const old = before?.metadata;
    const changed = before !== undefined && specOf(object) !== specOf(before);
    const metadata: ApiMeta = {
      ...given,
      name,
      ...(namespace !== undefined && { namespace }),
      uid: old?.uid ?? globalThis.crypto.randomUUID(),
      creationTimestamp: old?.creationTimestamp ?? this.#now(),
      generation: (old?.generation ?? 1) + (changed ? 1 : 0),
      resourceVersion: old?.resourceVersion ?? "0",
      ...(old?.deletionTimestamp !== undefined && { deletionTimestamp: old.deletionTimestamp }),
    };
    const stored = withDefaults({ ...object, metadata } as ApiObject);
    if (before !== undefined && writeJson(stored) === writeJson(before))
      return present(type, before);
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0)
      return this.#remove(type, stored);
    const put = this.#storage.put(type, stored);
    if (type.plural === "customresourcedefinitions") this.#define(put);
    return present(type, put);
  }

  #define(definition: ApiObject): void {
    this.#types.undefine(definition);
    this.#types.define(definition);
  }

  #remove(type: ResourceType, object: ApiObject): ApiObject {
    const last = this.#storage.remove(storageKey(type), object);
    if (type.plural === "customresourcedefinitions")
      for (const gone of this.#types.undefine(object))
        for (const left of this.#storage.list(gone)) this.#storage.remove(storageKey(gone), left);
    if (type.plural === "namespaces") this.#empty(object.metadata.name);
    collectGarbage(this.#storage, last);
    return present(type, last);
  }

  #empty(namespace: string): void {
    for (const [resource, object] of [...this.#storage.everything()])
      if (object.metadata.namespace === namespace) this.#storage.remove(resource, object);
  }
}

/** An object in the version it was asked in. */
export function present(type: ResourceType, object: ApiObject): ApiObject {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** What `generation` counts: everything but metadata and status. */
function specOf({ metadata: _metadata, status: _status, ...rest }: JsonObject): string {
  return writeJson(rest);
}

function graceOf(object: ApiObject, { gracePeriodSeconds }: DeleteOptions): number {
  const { nodeName } = isJsonObject(object.spec) ? object.spec : {};
  if (object.kind !== "Pod" || nodeName === undefined) return 0;
  return gracePeriodSeconds === undefined ? 30 : Number(gracePeriodSeconds);
}

function checkPreconditions(
  { type, name }: ObjectPlace,
  { metadata }: ApiObject,
  { preconditions }: DeleteOptions,
): void {
  if (!isJsonObject(preconditions)) return;
  for (const field of ["uid", "resourceVersion"] as const) {
    const wanted = preconditions[field];
    if (wanted !== undefined && wanted !== metadata[field])
      throw conflict(
        `${type.plural} "${name}"`,
        `the ${field} in the precondition (${String(wanted)}) does not match the ${field} in record (${metadata[field]})`,
      );
  }
}
