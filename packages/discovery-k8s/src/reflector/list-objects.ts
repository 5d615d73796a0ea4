import { isMusterError, MusterError } from "@muster/core";
import type { KubeApi, KubeQuery } from "../api/kube-api.ts";
import type { KnownObjects, ListKind } from "./known-objects.ts";
import { isKubeObject, type KubeObject, objectKey } from "./kube-object.ts";

/** The shape of every list of the API. */
interface KubeList {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly resourceVersion?: unknown; readonly continue?: unknown };
  readonly items?: unknown;
}

/** Objects of one page. */
const pageSize = 500;
/** More than any cluster has; what ends a server that pages in circles. */
const maxPages = 20_000;

/** What a list needs. */
export interface ListOptions<T extends KubeObject> {
  readonly api: KubeApi;
  readonly path: string;
  /** Selectors. */
  readonly query: KubeQuery;
  readonly known: KnownObjects<T>;
  readonly signal: AbortSignal;
  /** An item is no object. */
  readonly onMalformed: () => void;
}

/**
 * Lists everything, page by page, into `known`. A continuation that is too old (410) begins anew
 * without pages, which cannot grow old.
 *
 * @returns the revision to watch from
 * @throws MusterError KUBE_…
 */
export async function listObjects<T extends KubeObject>(options: ListOptions<T>): Promise<string> {
  try {
    return await listPages(options, pageSize);
  } catch (error) {
    if (!isMusterError(error) || error.code !== "KUBE_GONE") throw error;
    return await listPages(options, undefined);
  }
}

async function listPages<T extends KubeObject>(
  { api, path, query, known, signal, onMalformed }: ListOptions<T>,
  limit: number | undefined,
): Promise<string> {
  const keys = new Set<string>();
  let next: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const list = await api.request<KubeList>({
      path,
      query: { ...query, limit, continue: next },
      signal,
    });
    const kind = kindOf(list);
    known.setKind(kind);
    for (const item of itemsOf(list, path)) {
      if (!isKubeObject(item)) onMalformed();
      else {
        keys.add(objectKey(item));
        known.upsert(Object.freeze({ ...kind, ...item }) as T);
      }
    }
    next = textOf(list.metadata?.continue);
    if (next !== undefined) continue;
    known.retain(keys);
    return textOf(list.metadata?.resourceVersion) ?? noRevision(path);
  }
  throw new MusterError("KUBE_RESPONSE", `${path}: the list does not end after ${maxPages} pages`);
}

function itemsOf({ items }: KubeList, path: string): readonly unknown[] {
  if (items === null || items === undefined) return [];
  if (Array.isArray(items)) return items;
  throw new MusterError("KUBE_RESPONSE", `${path}: the answer is no list`);
}

/** Items of a list leave out what they are: `PodList` holds kind `Pod`. */
function kindOf({ apiVersion, kind }: KubeList): ListKind {
  return {
    ...(typeof apiVersion === "string" && { apiVersion }),
    ...(typeof kind === "string" && { kind: kind.replace(/List$/, "") }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function noRevision(path: string): never {
  throw new MusterError("KUBE_RESPONSE", `${path}: the list has no resourceVersion`);
}
