import { type ApiObject, isJsonObject, type JsonObject } from "./api-object.ts";

/** A kind of object the server has. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[] | undefined;
  /** Has a `status` subresource, so that an update of the object leaves its status alone. */
  readonly status: boolean;
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  /** OpenAPI schema of a custom resource. */
  readonly schema?: JsonObject | undefined;
}

const statusOf = new Set([
  "pods",
  "nodes",
  "services",
  "namespaces",
  "deployments",
  "customresourcedefinitions",
]);

function builtIn(
  group: string,
  version: string,
  kinds: Readonly<Record<string, string>>,
  namespaced = true,
): ResourceType[] {
  return Object.entries(kinds).map(([plural, kind]) => ({
    group,
    version,
    plural,
    kind,
    namespaced,
    status: statusOf.has(plural),
    custom: false,
  }));
}

const builtIns: readonly ResourceType[] = [
  ...builtIn("", "v1", {
    pods: "Pod",
    services: "Service",
    endpoints: "Endpoints",
    configmaps: "ConfigMap",
    secrets: "Secret",
    serviceaccounts: "ServiceAccount",
    events: "Event",
  }),
  ...builtIn("", "v1", { namespaces: "Namespace", nodes: "Node" }, false),
  ...builtIn("apps", "v1", { deployments: "Deployment" }),
  ...builtIn("discovery.k8s.io", "v1", { endpointslices: "EndpointSlice" }),
  ...builtIn("networking.k8s.io", "v1", { networkpolicies: "NetworkPolicy" }),
  ...builtIn("coordination.k8s.io", "v1", { leases: "Lease" }),
  ...builtIn("policy", "v1", { poddisruptionbudgets: "PodDisruptionBudget" }),
  ...builtIn("rbac.authorization.k8s.io", "v1", { roles: "Role", rolebindings: "RoleBinding" }),
  ...builtIn(
    "rbac.authorization.k8s.io",
    "v1",
    { clusterroles: "ClusterRole", clusterrolebindings: "ClusterRoleBinding" },
    false,
  ),
  ...builtIn(
    "apiextensions.k8s.io",
    "v1",
    { customresourcedefinitions: "CustomResourceDefinition" },
    false,
  ),
];

/** The kinds a server has: what every API server has, and custom ones while their definition is there. */
export class ResourceTypes {
  readonly #types = new Map<string, ResourceType>();

  constructor() {
    for (const type of builtIns) this.#types.set(typeKey(type), type);
  }

  all(): readonly ResourceType[] {
    return [...this.#types.values()];
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#types.get(`${group}/${version}/${plural}`);
  }

  /** The kind whose objects are stored under a key, in any of its versions. */
  stored(key: string): ResourceType | undefined {
    return this.all().find((type) => storageKey(type) === key);
  }

  /** Adds the served versions of a CustomResourceDefinition; gives them back. */
  define(definition: ApiObject): ResourceType[] {
    const types = definedTypes(definition);
    for (const type of types) this.#types.set(typeKey(type), type);
    return types;
  }

  /** Removes what a CustomResourceDefinition added; gives it back. */
  undefine(definition: ApiObject): ResourceType[] {
    const types = definedTypes(definition);
    for (const type of types) this.#types.delete(typeKey(type));
    return types;
  }
}

/** What objects of one kind are stored under: versions of a kind share their objects. */
export function storageKey({ group, plural }: ResourceType): string {
  return `${group}/${plural}`;
}

/** `pods`, or `endpointslices.discovery.k8s.io`. */
export function qualifiedName({ group, plural }: ResourceType): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** `v1`, or `discovery.k8s.io/v1`. */
export function apiVersionOf({ group, version }: ResourceType): string {
  return group === "" ? version : `${group}/${version}`;
}

function typeKey({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

function definedTypes(definition: ApiObject): ResourceType[] {
  const spec = isJsonObject(definition.spec) ? definition.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
  return versions
    .filter(({ served }) => served === true)
    .map(({ name, schema, subresources }) => ({
      group: String(spec.group),
      version: String(name),
      plural: String(names.plural),
      kind: String(names.kind),
      namespaced: spec.scope === "Namespaced",
      custom: true,
      shortNames: Array.isArray(names.shortNames) ? names.shortNames.map(String) : undefined,
      status: isJsonObject(subresources) && isJsonObject(subresources.status),
      schema:
        isJsonObject(schema) && isJsonObject(schema.openAPIV3Schema)
          ? schema.openAPIV3Schema
          : undefined,
    }));
}
