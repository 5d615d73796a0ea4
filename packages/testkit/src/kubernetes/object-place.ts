import type { ApiObject } from "./api-object.ts";
import { qualifiedName, type ResourceType, type ResourceTypes } from "./resource-types.ts";
import { notFound } from "./status.ts";
import { objectKey, type Storage } from "./storage.ts";

/** One object, or one of its subresources. */
export interface ObjectPlace {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** `status`, or nothing. */
  readonly subresource?: string | undefined;
}

/** What the handlers of objects share. */
export interface Stored {
  readonly storage: Storage;
  readonly types: ResourceTypes;
  /** RFC 3339, whole seconds; later by so many seconds. */
  readonly time: (later?: number) => string;
}

/** What is stored at a place; undefined: nothing. */
export function lookUp(
  storage: Storage,
  { type, namespace, name }: ObjectPlace,
): ApiObject | undefined {
  return storage.get(type, objectKey(namespace, name));
}

/** What is stored at a place. @throws StatusError 404 */
export function demand(storage: Storage, place: ObjectPlace): ApiObject {
  const found = lookUp(storage, place);
  if (found === undefined) throw notFound(`${qualifiedName(place.type)} "${place.name}"`);
  return found;
}
