import { admit, prune, withDefaults } from "./admission.ts";
import { type ApiMeta, type ApiObject, isJsonObject, type JsonObject } from "./api-object.ts";
import { applyPatch } from "./apply-patch.ts";
import { ownersAfterUpdate } from "./field-owners.ts";
import { writeJson } from "./json.ts";
import { demand, lookUp, type ObjectPlace, type Stored } from "./object-place.ts";
import { jsonPatch, mergePatch } from "./patches.ts";
import { present } from "./presentation.ts";
import type { Removal } from "./removal.ts";
import { qualifiedName, type ResourceType } from "./resource-types.ts";
import { badRequest, invalid, notFound, StatusError, unsupportedMediaType } from "./status.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { checkReplacement, desiredState, named } from "./write-rules.ts";

/** Who writes. */
export interface WriteOptions {
  readonly manager: string;
}

/** How to patch. */
export interface PatchOptions extends WriteOptions {
  readonly contentType: string;
  /** `manager` was said in the request, which an apply needs. */
  readonly saidManager: boolean;
  readonly force: boolean;
}

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** Creates and changes objects as an API server does. */
export class ApiObjects {
  readonly #stored: Stored;
  readonly #removal: Removal;

  constructor(stored: Stored, removal: Removal) {
    this.#stored = stored;
    this.#removal = removal;
  }

  get(place: ObjectPlace): ApiObject {
    return present(place.type, demand(this.#stored.storage, place));
  }

  create(
    type: ResourceType,
    namespace: string | undefined,
    body: JsonObject,
    { manager }: WriteOptions,
  ): ApiObject {
    const given = named(type, namespace, body);
    const { name, resourceVersion } = given.metadata as JsonObject;
    if ((resourceVersion ?? "") !== "")
      throw badRequest("resourceVersion should not be set on objects to be created");
    admit(type, given);
    const place: ObjectPlace = { type, namespace, name: String(name) };
    if (lookUp(this.#stored.storage, place))
      throw new StatusError(
        409,
        "AlreadyExists",
        `${qualifiedName(type)} "${place.name}" already exists`,
      );
    return this.#add(place, this.#owned(undefined, prune(type, given), manager));
  }

  update(place: ObjectPlace, body: JsonObject, { manager }: WriteOptions): ApiObject {
    const before = demand(this.#stored.storage, place);
    const { resourceVersion } = isJsonObject(body.metadata) ? body.metadata : {};
    if (place.type.custom && resourceVersion === undefined)
      throw invalid(
        `${qualifiedName(place.type)} "${place.name}"`,
        "metadata.resourceVersion: Invalid value: 0x0: must be specified for an update",
      );
    return this.#replace(place, before, body, (after) => this.#owned(before, after, manager));
  }

  /** The object, and whether the patch made it. */
  patch(place: ObjectPlace, patch: unknown, options: PatchOptions): [ApiObject, boolean] {
    const before = lookUp(this.#stored.storage, place);
    const [kind = ""] = options.contentType.split(";");
    if (kind === "application/apply-patch+yaml")
      return [this.#apply(place, before, patch, options), before === undefined];
    if (!patchTypes.includes(kind) || (kind.includes("strategic") && place.type.custom))
      throw unsupportedMediaType(kind, patchTypes);
    if (before === undefined) throw notFound(`${qualifiedName(place.type)} "${place.name}"`);
    const whole = present(place.type, before) as JsonObject;
    const after = patched(kind, whole, patch) as JsonObject;
    const owned = (object: JsonObject) => this.#owned(before, object, options.manager);
    return [this.#replace(place, before, after, owned), false];
  }

  #apply(
    place: ObjectPlace,
    before: ApiObject | undefined,
    patch: unknown,
    { manager, saidManager, force }: PatchOptions,
  ): ApiObject {
    if (!saidManager) throw badRequest("PatchOptions: fieldManager: Required value");
    if (!isJsonObject(patch) || !patch.kind || !patch.apiVersion)
      throw badRequest("an apply patch is an object with apiVersion and kind");
    const given = named(place.type, place.namespace, patch);
    const { name = place.name, managedFields } = given.metadata as JsonObject;
    if (managedFields !== undefined && managedFields !== null)
      throw badRequest("metadata.managedFields must be nil");
    const applied = { ...given, metadata: { ...(given.metadata as JsonObject), name } };
    const merged = applyPatch(before, applied, { manager, force, time: this.#stored.time() });
    if (before !== undefined) return this.#replace(place, before, merged, (after) => after);
    admit(place.type, merged);
    return this.#add(place, prune(place.type, merged));
  }

  #add(place: ObjectPlace, object: JsonObject): ApiObject {
    const { type, namespace } = place;
    const spaces = this.#stored.types.find("", "v1", "namespaces");
    if (namespace !== undefined && spaces)
      if (!this.#stored.storage.get(spaces, namespace)) throw notFound(`namespaces "${namespace}"`);
    const { status: _status, ...withoutStatus } = object;
    return this.#store(place, type.status ? withoutStatus : object, undefined);
  }

  #replace(
    place: ObjectPlace,
    before: ApiObject,
    body: JsonObject,
    own: (after: JsonObject) => JsonObject,
  ): ApiObject {
    const { type, subresource } = place;
    const given = named(type, place.namespace, body);
    admit(type, given);
    checkReplacement(place, before, given);
    const after = prune(type, given);
    if (subresource === "status")
      return this.#store(place, { ...before, status: after.status }, before);
    if (!type.status) return this.#store(place, own(after), before);
    const { status: _status, ...rest } = after;
    const { status } = before;
    return this.#store(place, { ...own(rest), ...(status !== undefined && { status }) }, before);
  }

  /** With the fields that this write changed in the writer's name. */
  #owned(before: ApiObject | undefined, after: JsonObject, manager: string): JsonObject {
    const managedFields = ownersAfterUpdate(before, after, { manager, time: this.#stored.time() });
    return { ...after, metadata: { ...(after.metadata as JsonObject), managedFields } };
  }

  #store(place: ObjectPlace, object: JsonObject, before: ApiObject | undefined): ApiObject {
    const { type } = place;
    const stored = withDefaults({
      ...object,
      metadata: this.#metadata(place, object, before),
    } as ApiObject);
    if (before !== undefined && writeJson(stored) === writeJson(before))
      return present(type, before);
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    const { deletionGracePeriodSeconds: grace = 0 } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0 && grace === 0)
      return present(type, this.#removal.remove(type, stored));
    const put = this.#stored.storage.put(type, stored);
    if (type.plural === "customresourcedefinitions") {
      this.#stored.types.undefine(put);
      this.#stored.types.define(put);
    }
    this.#removal.collectOrphan(type, put);
    return present(type, put);
  }

  #metadata(place: ObjectPlace, object: JsonObject, before: ApiObject | undefined): ApiMeta {
    const given = object.metadata as Partial<ApiMeta>;
    const old = before?.metadata;
    const { type, name, namespace } = place;
    const changed =
      before !== undefined && desiredState(type, object) !== desiredState(type, before);
    return {
      ...given,
      name,
      ...(namespace !== undefined && { namespace }),
      uid: old?.uid ?? globalThis.crypto.randomUUID(),
      creationTimestamp: old?.creationTimestamp ?? this.#stored.time(),
      generation: (old?.generation ?? 1) + (changed ? 1 : 0),
      resourceVersion: old?.resourceVersion ?? "0",
      ...(old?.deletionTimestamp !== undefined && {
        deletionTimestamp: old.deletionTimestamp,
        deletionGracePeriodSeconds: old.deletionGracePeriodSeconds ?? 0,
      }),
    };
  }
}

function patched(kind: string, whole: JsonObject, patch: unknown): unknown {
  if (kind === "application/json-patch+json") return jsonPatch(whole, patch);
  if (!isJsonObject(patch)) throw badRequest("a merge patch is an object");
  return kind === "application/merge-patch+json"
    ? mergePatch(whole, patch)
    : strategicMerge(whole, patch);
}
