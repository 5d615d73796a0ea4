import type { ApiObject } from "./api-object.ts";
import type { Storage } from "./storage.ts";

/** Removes what belonged to an object that is gone and to nobody else, and so on. */
export function collectGarbage(storage: Storage, owner: ApiObject): void {
  for (const [resource, object] of [...storage.everything()]) {
    const owners = object.metadata.ownerReferences ?? [];
    if (!owners.some(({ uid }) => uid === owner.metadata.uid)) continue;
    if (owners.some(({ uid }) => uid !== owner.metadata.uid && exists(storage, uid))) continue;
    collectGarbage(storage, storage.remove(resource, object));
  }
}

function exists(storage: Storage, uid: string): boolean {
  for (const [, object] of storage.everything()) if (object.metadata.uid === uid) return true;
  return false;
}
