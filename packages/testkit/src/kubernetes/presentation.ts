import type { ApiObject } from "./api-object.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";

/** An object in the version it was asked in. */
export function present(type: ResourceType, object: ApiObject): ApiObject {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}
