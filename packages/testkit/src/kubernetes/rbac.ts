import { type ApiObject, isJsonObject } from "./api-object.ts";
import type { ApiRequest } from "./request.ts";
import type { ResourceTypes } from "./resource-types.ts";
import { StatusError } from "./status.ts";
import type { Storage } from "./storage.ts";

/** Who asks. */
export interface ApiUser {
  /** Such as `system:serviceaccount:default:muster`. */
  readonly name: string;
  /** Such as `system:authenticated`. */
  readonly groups: readonly string[];
  /** May do everything. */
  readonly admin: boolean;
}

interface Rule {
  readonly apiGroups?: unknown;
  readonly resources?: unknown;
  readonly verbs?: unknown;
  readonly resourceNames?: unknown;
}

/** Decides by the Roles, ClusterRoles and bindings that the server has. */
export class Authorizer {
  readonly #storage: Storage;
  readonly #types: ResourceTypes;

  constructor(storage: Storage, types: ResourceTypes) {
    this.#storage = storage;
    this.#types = types;
  }

  /** @throws StatusError 403, in the words of an API server */
  check(user: ApiUser, request: ApiRequest): void {
    if (user.admin) return;
    const rules = [
      ...this.#rulesOf(user, "clusterrolebindings", undefined),
      ...(request.namespace === undefined
        ? []
        : this.#rulesOf(user, "rolebindings", request.namespace)),
    ];
    if (!rules.some((rule) => allows(rule, request))) throw forbidden(user, request);
  }

  *#rulesOf(user: ApiUser, plural: string, namespace: string | undefined): Iterable<Rule> {
    for (const binding of this.#list(plural, namespace)) {
      const { subjects, roleRef } = binding as { subjects?: unknown; roleRef?: unknown };
      const bound =
        Array.isArray(subjects) && subjects.some((subject) => isMeant(subject, binding, user));
      if (!bound || !isJsonObject(roleRef)) continue;
      const roles = this.#list(
        roleRef.kind === "Role" ? "roles" : "clusterroles",
        roleRef.kind === "Role" ? namespace : undefined,
      );
      const role = roles.find(({ metadata }) => metadata.name === roleRef.name);
      const rules = (role as { rules?: unknown } | undefined)?.rules;
      if (Array.isArray(rules)) yield* rules as Rule[];
    }
  }

  #list(plural: string, namespace: string | undefined): ApiObject[] {
    const type = this.#types.find("rbac.authorization.k8s.io", "v1", plural);
    return type ? this.#storage.list(type, namespace) : [];
  }
}

function isMeant(subject: unknown, { metadata }: ApiObject, user: ApiUser): boolean {
  if (!isJsonObject(subject)) return false;
  if (subject.kind === "Group") return user.groups.includes(String(subject.name));
  if (subject.kind !== "ServiceAccount") return subject.name === user.name;
  const namespace = subject.namespace ?? metadata.namespace;
  return `system:serviceaccount:${String(namespace)}:${String(subject.name)}` === user.name;
}

function allows(rule: Rule, { verb, group, resource, subresource, name }: ApiRequest): boolean {
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  return (
    lists(rule.verbs, verb) &&
    lists(rule.apiGroups, group) &&
    (lists(rule.resources, full) || lists(rule.resources, `*/${subresource ?? ""}`)) &&
    (!Array.isArray(rule.resourceNames) ||
      rule.resourceNames.length === 0 ||
      (name !== undefined && rule.resourceNames.includes(name)))
  );
}

function lists(list: unknown, value: string): boolean {
  return Array.isArray(list) && (list.includes("*") || list.includes(value));
}

function forbidden(user: ApiUser, request: ApiRequest): Error {
  const { verb, group, resource, subresource, namespace, name } = request;
  const full = group === "" ? resource : `${resource}.${group}`;
  const object = name === undefined ? "" : ` "${name}"`;
  const asked = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where =
    namespace === undefined ? " at the cluster scope" : ` in the namespace "${namespace}"`;
  return new StatusError(
    403,
    "Forbidden",
    `${full}${object} is forbidden: User "${user.name}" cannot ${verb} resource "${asked}" in API group "${group}"${where}`,
  );
}
