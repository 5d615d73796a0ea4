import { badPath } from "./plane-error.ts";
import { parseHexId } from "./u64.ts";

/** What the key of an endpoint or a model says. */
export interface InstancePath {
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;
  /** The fifth part; undefined when there are four. */
  readonly suffix: string | undefined;
}

/** Reads `ns/component/endpoint/{id:x}[/suffix]`; names are not escaped. PLANE_PATH otherwise. */
export function parseInstancePath(kind: string, path: string): InstancePath {
  const parts = path.split("/");
  const [namespace = "", component = "", endpoint = "", hex = "", suffix] = parts;
  if (parts.length < 4 || parts.length > 5) {
    const expected = kind === "EndpointInstanceId" ? "4" : "4 or 5";
    throw badPath(kind, path, `expected ${expected} parts, got ${parts.length}`);
  }
  const instanceId = parseHexId(hex);
  if (instanceId === undefined)
    throw badPath(kind, path, "the fourth part is no hexadecimal id of 64 bits");
  return { namespace, component, endpoint, instanceId, suffix };
}
