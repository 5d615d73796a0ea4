import type { ResourceType, ResourceTypes } from "./resource-types.ts";
import { badRequest } from "./status.ts";

/** What a request is about, in the words of RBAC. */
export interface ApiRequest {
  readonly verb:
    | "get"
    | "list"
    | "watch"
    | "create"
    | "update"
    | "patch"
    | "delete"
    | "deletecollection";
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** The parts of a resource's path; undefined for paths of another form. */
export function parsePath(path: string): Omit<ApiRequest, "verb"> | undefined {
  const parts = path.split("/").slice(1).map(decodePart);
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return undefined;
  const [group = "", version = "", ...rest] = core ? ["", ...parts.slice(1)] : parts.slice(1);
  // a namespace is an object too: /api/v1/namespaces/x and its status
  const scoped = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status";
  const namespace = scoped ? rest[1] : undefined;
  const [resource = "", name, subresource, ...tail] = scoped ? rest.slice(2) : rest;
  if (resource === "" || version === "" || tail.length > 0) return undefined;
  return { group, version, resource, subresource, namespace, name };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest(`the path has a broken escape: ${part}`);
  }
}

/** The RBAC verb of an HTTP request. */
export function verbOf(
  method: string,
  name: string | undefined,
  watch: boolean,
): ApiRequest["verb"] | undefined {
  switch (method) {
    case "GET":
      if (watch) return "watch";
      return name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      return undefined;
  }
}

/** The kind a request is about, if the server has it, and if the path fits its scope. */
export function typeOf(
  request: Omit<ApiRequest, "verb">,
  types: ResourceTypes,
): ResourceType | undefined {
  const type = types.find(request.group, request.version, request.resource);
  if (type === undefined) return undefined;
  if (request.namespace !== undefined && !type.namespaced) return undefined;
  if (request.subresource !== undefined && !(request.subresource === "status" && type.status))
    return undefined;
  const single = request.name !== undefined;
  return single && type.namespaced && request.namespace === undefined ? undefined : type;
}
