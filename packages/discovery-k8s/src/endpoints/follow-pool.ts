import { delay, isMusterError, MusterError, type PluginContext, toMusterError } from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import type { KubeResource } from "../api/resource.ts";
import { createReflector } from "../reflector/reflector.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import { type PoolSpec, poolResources, readPool } from "./inference-pool.ts";

/** Which pool to follow, and who is told. */
export interface FollowPoolOptions {
  readonly api: KubeApi;
  readonly name: string;
  readonly namespace: string;
  readonly context: PluginContext;
  readonly timing: Partial<ReflectorTiming> | undefined;
  readonly signal: AbortSignal;
  /** What the pool says now; only called when it has changed. */
  onPool(spec: PoolSpec): void;
  /** Why it is not known; undefined: it is. */
  onProblem(problem: MusterError | undefined): void;
}

/** ms between looks for a kind or a pool that is not there. */
const lookAgain = 5_000;

/**
 * Follows an InferencePool of whichever version the server has until `signal` aborts. What is not there
 * (the kind, the pool) may come; what was there and is gone leaves the last word standing.
 */
export async function followPool(options: FollowPoolOptions): Promise<void> {
  const { signal, context, onProblem } = options;
  while (!signal.aborted) {
    const resource = await findPool(options);
    if (resource !== undefined) return await followResource(options, resource);
    if (signal.aborted) return;
    onProblem(notThere(options));
    await delay(context.clock, lookAgain * (1 - Math.random() / 2), signal);
  }
}

/** The version that has the pool; else the first that the server has; undefined: it has none. */
async function findPool(options: FollowPoolOptions): Promise<KubeResource | undefined> {
  const served: KubeResource[] = [];
  for (const resource of poolResources) {
    const found = await serves(options, resource);
    if (found) served.push(resource);
  }
  const [first, ...others] = served;
  for (const resource of others.length > 0 ? served : [])
    if (await hasPool(options, resource)) return resource;
  return first;
}

async function serves(options: FollowPoolOptions, resource: KubeResource): Promise<boolean> {
  const path = `/apis/${resource.group}/${resource.version}`;
  const list = await ask<{ resources?: { name?: string }[] }>(options, path);
  return list?.resources?.some(({ name }) => name === resource.plural) ?? false;
}

async function hasPool(options: FollowPoolOptions, resource: KubeResource): Promise<boolean> {
  const { namespace, name } = options;
  const { group, version, plural } = resource;
  const query = new URLSearchParams({ fieldSelector: `metadata.name=${name}` });
  const path = `/apis/${group}/${version}/namespaces/${encodeURIComponent(namespace)}/${plural}?${query}`;
  const list = await ask<{ items?: unknown[] }>(options, path);
  return (list?.items?.length ?? 0) > 0;
}

/** Undefined: not there, or cannot be asked, which is reported. */
async function ask<T>({ api, signal, onProblem }: FollowPoolOptions, path: string) {
  try {
    return await api.request<T>({ path, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (isMusterError(error) && error.code === "KUBE_NOT_FOUND") return undefined;
    onProblem(toMusterError(error, "KUBE_UNAVAILABLE"));
    return undefined;
  }
}

async function followResource(options: FollowPoolOptions, resource: KubeResource): Promise<void> {
  const { api, name, namespace, context, timing, signal, onPool, onProblem } = options;
  const reflector = createReflector(
    { api, resource, namespace, fieldSelector: `metadata.name=${name}`, timing },
    context,
  );
  let present = false;
  let last = "";
  const onInterruption = (problem: MusterError | undefined): void => {
    if (problem !== undefined && !signal.aborted) onProblem(problem);
  };
  for await (const event of reflector.events({ signal, onInterruption })) {
    if (event.type === "Synced") onProblem(present ? undefined : notThere(options));
    else if (event.type === "Deleted") {
      present = false;
      onProblem(notThere(options));
    } else if (event.object.metadata.name === name) {
      present = true;
      const read = tryRead(() => readPool(event.object));
      onProblem(read instanceof Error ? read : undefined);
      if (read instanceof Error || JSON.stringify(read) === last) continue;
      last = JSON.stringify(read);
      onPool(read);
    }
  }
}

function tryRead(read: () => PoolSpec): PoolSpec | MusterError {
  try {
    return read();
  } catch (error) {
    return toMusterError(error, "KUBE_INVALID");
  }
}

function notThere({ namespace, name }: FollowPoolOptions): MusterError {
  return new MusterError(
    "KUBE_NOT_FOUND",
    `there is no InferencePool "${name}" in namespace "${namespace}", or the server does not know the kind`,
  );
}
