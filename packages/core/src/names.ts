/**
 * A plugin's identity: `type` selects the factory, `name` the instance.
 * Printed `type/name` (see {@link formatTypedName}).
 */
export interface TypedName {
  readonly type: string;
  readonly name: string;
}

/** Makes a frozen {@link TypedName}; `name` defaults to `type`. */
export function typedName(type: string, name: string = type): TypedName {
  return Object.freeze({ type, name });
}

/** `type/name`. */
export function formatTypedName(value: TypedName): string {
  return `${value.type}/${value.name}`;
}

/** A Kubernetes-style key: unique by namespace and name together. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Makes a frozen {@link NamespacedName}. */
export function namespacedName(namespace: string, name: string): NamespacedName {
  return Object.freeze({ namespace, name });
}

/**
 * The printed key of an endpoint, `namespace/name`: what maps are keyed by, what `endpoint.id`
 * holds and what logs show.
 */
export function endpointId(key: NamespacedName): string {
  return `${key.namespace}/${key.name}`;
}

/** Kubernetes group, version and kind of an object; the core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `group/version, Kind=kind`, or `version, Kind=kind` for the core group. */
export function formatGroupVersionKind(gvk: GroupVersionKind): string {
  const version = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  return `${version}, Kind=${gvk.kind}`;
}

/** Whether both name the same kind of the same group and version. */
export function equalGroupVersionKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
