import {
  formatGroupVersionKind,
  type GroupVersionKind,
  isMusterError,
  MusterError,
} from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import type { KubeResource } from "../api/resource.ts";

/** The resource that holds the objects of one kind. */
export interface FoundResource extends KubeResource {
  /** Whether its objects are in namespaces. */
  readonly namespaced: boolean;
  /** Plural names of further resources of the kind, which are left alone. */
  readonly others: readonly string[];
}

/** An entry of the server's discovery document, as far as it is looked at. */
interface ListedResource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly watchable: boolean;
}

/**
 * Asks the server which resource holds the objects of a kind. Of several the one named like the kind is
 * taken, or else the first.
 *
 * @throws MusterError KUBE_NOT_FOUND when it has no such kind (yet), KUBE_INVALID when the kind cannot be
 * listed and watched, and as `KubeApi.request`.
 */
export async function findResource(
  api: KubeApi,
  gvk: GroupVersionKind,
  signal: AbortSignal,
): Promise<FoundResource> {
  const { group, version, kind } = gvk;
  const resources = (await listResources(api, gvk, signal)).filter((one) => one.kind === kind);
  if (resources.length === 0) throw unknownKind(gvk);
  const usable = resources.flatMap((one) => readResource(one) ?? []).filter((it) => it.watchable);
  const likely = usable.find(({ name }) => name.startsWith(kind.toLowerCase())) ?? usable[0];
  if (likely === undefined)
    throw new MusterError(
      "KUBE_INVALID",
      `objects of ${formatGroupVersionKind(gvk)} cannot be listed and watched`,
    );
  const others = usable.filter((one) => one !== likely).map(({ name }) => name);
  return { group, version, plural: likely.name, namespaced: likely.namespaced, others };
}

async function listResources(
  api: KubeApi,
  gvk: GroupVersionKind,
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const { group, version } = gvk;
  const parts = group === "" ? ["api", version] : ["apis", group, version];
  const path = `/${parts.map(encodeURIComponent).join("/")}`;
  try {
    const list = await api.request<{ resources?: unknown } | null>({ path, signal });
    const resources = list?.resources;
    if (!Array.isArray(resources))
      throw new MusterError("KUBE_RESPONSE", `${path}: the answer lists no resources`);
    return resources.filter((one) => typeof one === "object" && one !== null);
  } catch (error) {
    if (isMusterError(error) && error.code === "KUBE_NOT_FOUND") throw unknownKind(gvk);
    throw error;
  }
}

/** Subresources (`pods/status`) are no resources of their own. */
function readResource({
  name,
  namespaced,
  verbs,
}: Record<string, unknown>): ListedResource | undefined {
  if (typeof name !== "string" || name === "" || name.includes("/")) return undefined;
  const may = (verb: string): boolean => Array.isArray(verbs) && verbs.includes(verb);
  return { name, namespaced: namespaced === true, watchable: may("list") && may("watch") };
}

function unknownKind(gvk: GroupVersionKind): MusterError {
  return new MusterError(
    "KUBE_NOT_FOUND",
    `the API server has no ${formatGroupVersionKind(gvk)}; install its CustomResourceDefinition`,
  );
}
