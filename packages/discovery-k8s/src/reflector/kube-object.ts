import type { PlainValue } from "@muster/core";

/** Metadata of a Kubernetes object, as far as a reflector looks at it. */
export interface KubeObjectMeta {
  readonly name: string;
  /** Unset for objects without namespaces. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [key: string]: PlainValue;
}

/** A Kubernetes object of any kind; `metadata.name` is certain, the rest is what the server said. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeObjectMeta;
  readonly [key: string]: unknown;
}

/** Whether a value can be followed as an object: it has a name, and texts where texts must be. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (nameOf(value) === undefined) return false;
  const { uid, resourceVersion } = (value as { metadata: Record<string, unknown> }).metadata;
  return isTextOrNothing(uid) && isTextOrNothing(resourceVersion);
}

/** `namespace/name`, or the name alone: what is unique within one resource. */
export function objectKey(object: KubeObject): string {
  return nameOf(object) ?? "";
}

/** The key of whatever says a name and a namespace that can be ones; undefined for anything else. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { name, namespace } = metadata as { name?: unknown; namespace?: unknown };
  if (!isPathSegment(name)) return undefined;
  if (namespace === undefined || namespace === null || namespace === "") return name;
  return isPathSegment(namespace) ? `${namespace}/${name}` : undefined;
}

/** As API servers demand of every name: it is a part of a path. */
function isPathSegment(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("/");
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
