import { isMusterError, MusterError } from "@muster/core";
import type { KubeApi, KubeQuery } from "../api/kube-api.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { KnownObjects, ListKind } from "./known-objects.ts";
import { isKubeObject, type KubeObject, nameOf } from "./kube-object.ts";

/** The shape of every list of the API. */
interface KubeList {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly resourceVersion?: unknown; readonly continue?: unknown } | null;
  readonly items?: unknown;
}

/** Objects of one page, as kubectl asks for. */
const pageSize = 500;
/** Ten times the pods of the largest cluster that is supported; ends what does not end by itself. */
const maxObjects = 1_500_000;
const maxPages = maxObjects / pageSize;

/** What a list needs. */
export interface ListOptions<T extends KubeObject> {
  readonly api: KubeApi;
  readonly path: string;
  /** Selectors. */
  readonly query: KubeQuery;
  readonly known: KnownObjects<T>;
  readonly signal: AbortSignal;
  /** ms for one page. */
  readonly timeout: number;
  readonly parse: ((text: string) => unknown) | undefined;
  /** An item is no object. */
  readonly onMalformed: () => void;
}

/**
 * Lists everything, page by page, into `known`; only a list that is complete removes anything. A
 * continuation that is too old (410) begins anew without pages, which cannot grow old.
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
  options: ListOptions<T>,
  limit: number | undefined,
): Promise<string> {
  const { api, path, query, signal, timeout, parse } = options;
  const keys = new Set<string>();
  const tokens = new Set<string>();
  let next: string | undefined;
  for (let page = 0; page < maxPages && keys.size <= maxObjects; page += 1) {
    const list = await api.request<KubeList>({
      path,
      query: { ...query, limit, continue: next },
      signal,
      timeout,
      parse,
    });
    const revision = textOf(list.metadata?.resourceVersion);
    if (revision === undefined) throw noList(path, "has no resourceVersion");
    if (page === 0) options.known.listing(revision);
    takePage(list, keys, options);
    const token = textOf(list.metadata?.continue);
    if (token === undefined) {
      options.known.retain(keys);
      return revision;
    }
    if (tokens.has(token)) throw noList(path, "continues in a circle");
    tokens.add(token);
    next = token;
  }
  throw new MusterError("KUBE_TOO_LARGE", `LIST ${path}: no end after ${keys.size} objects`);
}

function takePage<T extends KubeObject>(
  list: KubeList,
  keys: Set<string>,
  { path, known, onMalformed }: ListOptions<T>,
): void {
  const kind = kindOf(list);
  known.setKind(kind);
  for (const item of itemsOf(list, path)) {
    // what has a name is there, even if nothing else about it can be understood
    const key = nameOf(item);
    if (key !== undefined) keys.add(key);
    if (isKubeObject(item)) known.upsert(deepFreeze({ ...kind, ...item }) as KubeObject as T);
    else onMalformed();
  }
}

function itemsOf({ items, kind }: KubeList, path: string): readonly unknown[] {
  if (Array.isArray(items)) return items;
  // Go writes an empty list as null
  if ((items ?? null) === null && textOf(kind)?.endsWith("List")) return [];
  throw noList(path, "has no items");
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

function noList(path: string, why: string): MusterError {
  return new MusterError("KUBE_RESPONSE", `LIST ${path}: the answer ${why}`);
}
