import { type ApiMeta, type ApiObject, isJsonObject } from "./api-object.ts";
import { demand, type ObjectPlace, type Stored } from "./object-place.ts";
import { present } from "./presentation.ts";
import { type ResourceType, storageKey } from "./resource-types.ts";
import { conflict } from "./status.ts";

/** What may be asked of a delete. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: unknown;
  readonly preconditions?: unknown;
  /** `Orphan` keeps what belongs to the object. */
  readonly propagationPolicy?: unknown;
}

/** Removes objects, and what belongs to them, as an API server and its garbage collector do. */
export class Removal {
  readonly #stored: Stored;

  constructor(stored: Stored) {
    this.#stored = stored;
  }

  /** Marks what must not vanish at once (finalizers, a pod on a node), removes the rest. */
  delete(place: ObjectPlace, options: DeleteOptions = {}): object {
    const { storage, time } = this.#stored;
    const before = demand(storage, place);
    checkPreconditions(place, before, options);
    const grace = graceOf(before, options);
    const lingers = (before.metadata.finalizers ?? []).length > 0 || grace > 0;
    if (!lingers) {
      if (options.propagationPolicy === "Orphan") this.#orphan(before);
      return deleted(place, this.remove(place.type, before));
    }
    if (before.metadata.deletionTimestamp !== undefined) return present(place.type, before);
    const metadata: ApiMeta = {
      ...before.metadata,
      deletionTimestamp: time(grace),
      deletionGracePeriodSeconds: grace,
    };
    return present(place.type, storage.put(place.type, { ...before, metadata }));
  }

  /** Removes an object for good, and what was its own; gives back its last form. */
  remove(type: ResourceType, object: ApiObject): ApiObject {
    const { storage, types } = this.#stored;
    const last = storage.remove(storageKey(type), object);
    if (type.plural === "customresourcedefinitions")
      for (const gone of types.undefine(object))
        for (const left of storage.list(gone)) storage.remove(storageKey(gone), left);
    if (type.plural === "namespaces") this.#empty(object.metadata.name);
    this.#collect(object.metadata.uid);
    return last;
  }

  /** Removes an object that belongs only to what is not there. */
  collectOrphan(type: ResourceType, object: ApiObject): void {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0 || owners.some(({ uid }) => this.#exists(uid))) return;
    const { namespace, name } = object.metadata;
    this.delete({ type, namespace, name });
  }

  #empty(namespace: string): void {
    const { storage } = this.#stored;
    for (const [resource, object] of [...storage.everything()])
      if (object.metadata.namespace === namespace) storage.remove(resource, object);
  }

  #collect(owner: string): void {
    for (const [resource, object] of [...this.#stored.storage.everything()]) {
      const owned = object.metadata.ownerReferences?.some(({ uid }) => uid === owner);
      const type = this.#stored.types.stored(resource);
      if (owned && type) this.collectOrphan(type, object);
    }
  }

  #orphan({ metadata: { uid: owner } }: ApiObject): void {
    const { storage, types } = this.#stored;
    for (const [resource, object] of [...storage.everything()]) {
      const { ownerReferences = [], ...metadata } = object.metadata;
      const others = ownerReferences.filter(({ uid }) => uid !== owner);
      const type = types.stored(resource);
      if (type && others.length < ownerReferences.length)
        storage.put(type, { ...object, metadata: { ...metadata, ownerReferences: others } });
    }
  }

  #exists(uid: string): boolean {
    for (const [, object] of this.#stored.storage.everything())
      if (object.metadata.uid === uid) return true;
    return false;
  }
}

/** Pods come back as they were, of all others only a `Status` does. */
function deleted({ type, name }: ObjectPlace, last: ApiObject): object {
  if (type.kind === "Pod") return present(type, last);
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, group: type.group, kind: type.plural, uid: last.metadata.uid },
  };
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
