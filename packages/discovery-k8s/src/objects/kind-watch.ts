import {
  delay,
  type FollowState,
  formatGroupVersionKind,
  type GroupVersionKind,
  type MusterError,
  type PluginContext,
  toMusterError,
} from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import { retryAfterOf } from "../api/kube-error.ts";
import { type KubeObject, objectKey } from "../reflector/kube-object.ts";
import { createReflector } from "../reflector/reflector.ts";
import type { ReflectorEvent } from "../reflector/reflector-event.ts";
import { RunningReflectors } from "../reflector/running-reflectors.ts";
import { defaultTiming, type ReflectorTiming, retryWait, serverWait } from "../reflector/timing.ts";
import type { KubernetesWatcherSettings } from "./config.ts";
import { type FoundResource, findResource } from "./find-resource.ts";
import { KindProblems } from "./kind-problems.ts";
import { identityOf, type KindIdentity, type KindReader } from "./kind-reader.ts";

/** ms between looks for a kind that is not there, at most: somebody installs it and waits. */
const lookAgain = 5000;

/** What a {@link KindWatch} needs. */
export interface KindWatchOptions {
  readonly gvk: GroupVersionKind;
  readonly settings: KubernetesWatcherSettings;
  readonly context: PluginContext;
  readonly timing: Partial<ReflectorTiming> | undefined;
  /** @throws MusterError KUBE_CONFIG */
  openApi(): Promise<KubeApi>;
}

/**
 * Follows the objects of one kind for all who read it, with one reflector for each namespace. A reader
 * that comes later has the kind listed anew, for all: that costs a list, where keeping every object for
 * the case would cost its memory for good. The others are told of what has changed only.
 */
export class KindWatch {
  readonly #options: KindWatchOptions;
  readonly #identity: KindIdentity;
  readonly #timing: ReflectorTiming;
  readonly #readers = new Set<KindReader>();
  readonly #stopping = new AbortController();
  readonly #problems: KindProblems;
  readonly #reflectors: RunningReflectors;
  #round: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(options: KindWatchOptions) {
    this.#options = options;
    this.#identity = identityOf(options.gvk);
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#reflectors = new RunningReflectors(options.context.clock);
    const kind = formatGroupVersionKind(options.gvk);
    this.#problems = new KindProblems(kind, options.context.logger, this.#readers);
  }

  /** Gives everything that is there to `reader`, then every change. */
  join(reader: KindReader): void {
    this.#readers.add(reader);
    this.#problems.greet(reader);
    this.#round?.abort();
    this.#running ??= this.#run(this.#stopping.signal);
  }

  /** Whether that was the last reader: then it ends, and is of no use any more. */
  leave(reader: KindReader): boolean {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return false;
    this.#stopping.abort();
    return true;
  }

  /** What is followed now. */
  follows(): FollowState[] {
    return this.#reflectors.states();
  }

  /** Resolves when it has ended. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.context;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const begun = clock.monotonic();
      const problem = await this.#findAndFollow(signal);
      // what was followed for a while shows that what failed before is over
      if (clock.monotonic() - begun >= this.#timing.healthy) failures = 0;
      const { retryInitial, retryCap } = this.#timing;
      const wait = retryWait(failures, retryInitial, Math.min(retryCap, lookAgain));
      if (!signal.aborted)
        await delay(clock, Math.max(wait, serverWait(retryAfterOf(problem))), signal);
    }
  }

  /** Follows the kind for as long as it is there; gives what kept it from being found. */
  async #findAndFollow(signal: AbortSignal): Promise<MusterError | undefined> {
    try {
      const api = await this.#options.openApi();
      const resource = await this.#find(api, signal);
      while (await this.#follow(api, resource, signal));
      return undefined;
    } catch (error) {
      const problem = toMusterError(error, "INTERNAL");
      if (!signal.aborted) this.#problems.unknown(problem);
      return problem;
    }
  }

  async #find(api: KubeApi, signal: AbortSignal): Promise<FoundResource> {
    const resource = await findResource(api, this.#options.gvk, signal);
    const { plural, others } = resource;
    if (others.length > 0)
      this.#options.context.logger.warn(
        { kind: this.#identity.kind, resource: plural, others: others.join(", ") },
        "several Kubernetes resources have one kind; one of them is followed",
      );
    return resource;
  }

  /** Follows the resource; resolves to whether that is to be begun anew, for a reader that has come. */
  async #follow(api: KubeApi, resource: FoundResource, signal: AbortSignal): Promise<boolean> {
    const joined = new AbortController();
    const gone = new AbortController();
    this.#round = joined;
    const round = AbortSignal.any([signal, joined.signal, gone.signal]);
    const { namespaces } = this.#options.settings;
    const scopes =
      resource.namespaced && namespaces !== "all" ? (namespaces ?? [api.namespace]) : [undefined];
    const following = scopes.map((namespace) =>
      this.#followScope({ api, resource, namespace, signal: round, onGone: () => gone.abort() }),
    );
    await Promise.all(following);
    this.#round = undefined;
    return joined.signal.aborted && !gone.signal.aborted && !signal.aborted;
  }

  async #followScope({ api, resource, namespace, signal, onGone }: Scope): Promise<void> {
    const { settings, context, timing } = this.#options;
    const { labelSelector, fieldSelector } = settings;
    const scope = namespace ?? "*";
    const reflector = createReflector(
      { api, resource, namespace, labelSelector, fieldSelector, timing },
      context,
    );
    let interrupted = false;
    const onInterruption = (problem: MusterError | undefined): void => {
      if (signal.aborted) return;
      interrupted = problem !== undefined;
      if (problem === undefined) this.#problems.followed(scope);
      else this.#problems.interrupted(scope, problem);
      // the kind may have been removed, and may come back as another resource
      if (problem?.code === "KUBE_NOT_FOUND") onGone();
    };
    const keys = new Set<string>();
    const leave = this.#reflectors.add(reflector);
    for await (const event of reflector.events({ signal, onInterruption })) {
      this.#apply(event, scope, keys);
      // what was read may be of before an interruption that has come since
      if (event.type === "Synced" && !interrupted) this.#problems.followed(scope);
    }
    leave();
  }

  /** `keys` are those of everything that is in `scope`. */
  #apply(event: ReflectorEvent, scope: string, keys: Set<string>): void {
    if (event.type === "Added" || event.type === "Modified") {
      const object = this.#identified(event.object);
      keys.add(objectKey(object));
      const differs = event.type === "Modified";
      for (const reader of this.#readers) reader.known(scope).upsert(object, differs);
    } else if (event.type === "Deleted") {
      keys.delete(objectKey(event.object));
      for (const reader of this.#readers) reader.known(scope).delete(event.object);
    } else for (const reader of this.#readers) reader.known(scope).retain(keys);
    for (const reader of this.#readers) reader.wake();
  }

  /** The name of a list need not be that of its objects' kind, which they leave out. */
  #identified(object: KubeObject): KubeObject {
    const { apiVersion, kind } = this.#identity;
    if (object.kind === kind && object.apiVersion === apiVersion) return object;
    return Object.freeze({ ...object, apiVersion, kind });
  }
}

interface Scope {
  readonly api: KubeApi;
  readonly resource: FoundResource;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  readonly onGone: () => void;
}
