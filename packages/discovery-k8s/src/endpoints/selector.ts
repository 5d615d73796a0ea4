import type { KubeObject } from "../reflector/kube-object.ts";

/** Which objects are meant. */
export interface Selection {
  readonly namespace: string;
  /** Labels that the objects have. */
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** `a=b,c=d`, for a list of objects. */
export function selectorText(matchLabels: Selection["matchLabels"]): string {
  return Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}=${matchLabels[key]}`)
    .join(",");
}

/** Whether an object is one of those that were asked for: a server that ignores selectors sends others, too. */
export function isSelected(
  { metadata }: KubeObject,
  { namespace, matchLabels }: Selection,
): boolean {
  if (metadata.namespace !== namespace) return false;
  return Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value);
}
