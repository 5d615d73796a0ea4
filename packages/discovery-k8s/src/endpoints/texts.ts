import type { OnInvalid } from "./follow-objects.ts";
import { unusable } from "./pod.ts";

/** A map of texts from outside, as data without a prototype; what is no text is told and left out. */
export function textsOf(
  map: unknown,
  path: string,
  onInvalid: OnInvalid,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = Object.create(null);
  if (typeof map !== "object" || map === null) return texts;
  for (const [key, value] of Object.entries(map))
    if (typeof value === "string") texts[key] = value;
    else onInvalid(unusable(`${path}.${key}`, value, "is no text"));
  return texts;
}
