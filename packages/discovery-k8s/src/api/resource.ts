/** A kind of object in the API's paths: group (empty for the core group), version, plural name. */
export interface KubeResource {
  readonly group: string;
  readonly version: string;
  /** Such as `pods`. */
  readonly plural: string;
}

/** Which objects of a resource. */
export interface ResourceScope {
  /** Unset: all namespaces, or a resource without namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** `/api/v1/namespaces/default/pods/a`; every part is encoded. */
export function resourcePath(resource: KubeResource, scope: ResourceScope = {}): string {
  const { group, version, plural } = resource;
  const { namespace, name, subresource } = scope;
  const root = group === "" ? ["api", version] : ["apis", group, version];
  const parts = [
    ...root,
    ...(namespace === undefined ? [] : ["namespaces", namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/** `pods`, or `inferencepools.inference.networking.k8s.io`. */
export function formatResource({ group, plural }: KubeResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}
