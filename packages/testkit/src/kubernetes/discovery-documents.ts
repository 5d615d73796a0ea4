import { apiVersionOf, type ResourceType, type ResourceTypes } from "./resource-types.ts";

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** What the server says of itself at `/api`, `/apis`, `/api/v1`, `/apis/GROUP`, `/apis/GROUP/VERSION`, `/version`. */
export function discoveryDocument(path: string, types: ResourceTypes): object | undefined {
  if (path === "/version") return { major: "1", minor: "31", gitVersion: "v1.31.0" };
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/api/v1") return resourceList("v1", types);
  const all = types.all().filter(({ group }) => group !== "");
  const groups = [...new Set(all.map(({ group }) => group))];
  if (path === "/apis")
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: groups.map((group) => groupDocument(group, all)),
    };
  const [, group = "", version] = /^\/apis\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (!groups.includes(group)) return undefined;
  return version === undefined
    ? { kind: "APIGroup", apiVersion: "v1", ...groupDocument(group, all) }
    : resourceList(`${group}/${version}`, types);
}

function groupDocument(group: string, types: readonly ResourceType[]): object {
  const names = types.filter((type) => type.group === group).map(({ version }) => version);
  const versions = [...new Set(names)].map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function resourceList(groupVersion: string, types: ResourceTypes): object | undefined {
  const found = types.all().filter((type) => apiVersionOf(type) === groupVersion);
  if (found.length === 0) return undefined;
  const resources = found.flatMap(({ plural, kind, namespaced, shortNames, status }) => [
    {
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs,
      ...(shortNames && { shortNames }),
    },
    ...(status
      ? [
          {
            name: `${plural}/status`,
            singularName: "",
            namespaced,
            kind,
            verbs: ["get", "patch", "update"],
          },
        ]
      : []),
  ]);
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}
