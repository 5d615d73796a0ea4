import { MusterError, type PluginContext, toMusterError } from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import { formatResource, type KubeResource } from "../api/resource.ts";
import { createReflector } from "../reflector/reflector.ts";
import type { RunningReflectors } from "../reflector/running-reflectors.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import { Continuity } from "./continuity.ts";
import { type PoolSpec, poolResources, readPool } from "./inference-pool.ts";

/** Which pool to follow, and who is told. */
export interface FollowPoolOptions {
  readonly api: KubeApi;
  readonly name: string;
  readonly namespace: string;
  readonly context: PluginContext;
  readonly timing: Partial<ReflectorTiming> | undefined;
  readonly running: RunningReflectors;
  readonly signal: AbortSignal;
  /** What the pool says now; only called when it has changed. */
  onPool(spec: PoolSpec): void;
  /** Why it is not known, or may have changed; undefined: it is known. */
  onProblem(problem: MusterError | undefined): void;
}

/** What is known of the pool in one version of its kind. */
interface Sight {
  readonly present: boolean;
  readonly spec: PoolSpec | undefined;
  readonly problem: MusterError | undefined;
}

/** ms between looks for a kind that is not there, at most: somebody installs it and waits. */
const lookAgain = 5_000;

/**
 * Follows an InferencePool of whichever version the server has until `signal` aborts. What is not there
 * (the kind, the pool) may come; what was there and is gone leaves the last word standing.
 */
export async function followPool(options: FollowPoolOptions): Promise<void> {
  await new PoolFollower(options).follow(0, options.signal);
}

class PoolFollower {
  readonly #options: FollowPoolOptions;
  /** By position in {@link poolResources}; empty where nobody looks. */
  readonly #sights: (Sight | undefined)[] = [];
  #lastWord = "";

  constructor(options: FollowPoolOptions) {
    this.#options = options;
  }

  /** Follows one version, and the next ones while this one does not have the pool. */
  async follow(rank: number, signal: AbortSignal): Promise<void> {
    const resource = poolResources[rank];
    if (resource === undefined) return;
    let others: AbortController | undefined;
    let ended: Promise<void> = Promise.resolve();
    await this.#watch(resource, signal, (sight) => {
      this.#sights[rank] = sight;
      if (sight.present) {
        others?.abort();
        others = undefined;
        this.#sights.length = rank + 1;
      } else if (others === undefined && mayBeElsewhere(sight)) {
        others = new AbortController();
        const both = AbortSignal.any([signal, others.signal]);
        ended = ended.then(() => this.follow(rank + 1, both));
      }
      this.#decide();
    });
    await ended;
  }

  async #watch(
    resource: KubeResource,
    signal: AbortSignal,
    onSight: (sight: Sight) => void,
  ): Promise<void> {
    const { api, name, namespace, context, timing } = this.#options;
    const retryCap = Math.min(timing?.retryCap ?? lookAgain, lookAgain);
    const reflector = createReflector(
      {
        ...{ api, resource, namespace, fieldSelector: `metadata.name=${name}` },
        timing: { ...timing, retryCap },
      },
      context,
    );
    const continuity = new Continuity();
    let spec: PoolSpec | MusterError | undefined;
    const look = (): void => {
      const invalid = spec instanceof Error ? spec : undefined;
      const { problem = invalid } = continuity;
      const present = spec !== undefined && !isMissingKind(problem);
      if (!signal.aborted)
        onSight({ present, spec: spec instanceof Error ? undefined : spec, problem });
    };
    const onInterruption = (problem: MusterError | undefined): void => {
      continuity.interruption(problem);
      look();
    };
    const leave = this.#options.running.add(reflector);
    for await (const event of reflector.events({ signal, onInterruption })) {
      if (event.type === "Synced") continuity.synced();
      // a server that ignores field selectors sends the others, too
      else if (event.object.metadata.name !== name) continue;
      else spec = event.type === "Deleted" ? undefined : specOf(() => readPool(event.object));
      look();
    }
    leave();
  }

  #decide(): void {
    const { onPool, onProblem } = this.#options;
    const sights = this.#sights.filter((sight) => sight !== undefined);
    const found = sights.find(({ present }) => present);
    if (found?.spec !== undefined && JSON.stringify(found.spec) !== this.#lastWord) {
      this.#lastWord = JSON.stringify(found.spec);
      onPool(found.spec);
    }
    // the first version that the server has knows best why there is none
    const known = sights.find(({ problem }) => !isMissingKind(problem));
    if (found !== undefined) onProblem(found.problem);
    else onProblem(known?.problem ?? this.#notThere(known === undefined));
  }

  #notThere(kindMissing: boolean): MusterError {
    const { name, namespace } = this.#options;
    const kinds = poolResources.map(formatResource).join(" or ");
    return new MusterError(
      "KUBE_NOT_FOUND",
      kindMissing
        ? `the cluster has no kind InferencePool: install its CustomResourceDefinition, ${kinds}`
        : `there is no InferencePool "${name}" in namespace "${namespace}": create it`,
    );
  }
}

/** Whether another version may have the pool: this one does not, or may not be asked. */
function mayBeElsewhere({ problem }: Sight): boolean {
  return problem === undefined || isMissingKind(problem) || problem.code === "KUBE_FORBIDDEN";
}

/** A list knows no other 404: without the namespace it is only empty. */
function isMissingKind(problem: MusterError | undefined): boolean {
  return problem?.code === "KUBE_NOT_FOUND";
}

function specOf(read: () => PoolSpec): PoolSpec | MusterError {
  try {
    return read();
  } catch (error) {
    return toMusterError(error, "KUBE_INVALID");
  }
}
