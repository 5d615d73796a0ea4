import {
  createDiscoveryRuns,
  type DiscoveryNotifier,
  type DiscoveryRuns,
  type EndpointDiscovery,
  type FollowState,
  type PluginContext,
  type TypedName,
} from "@muster/core";
import { createKubeApi, type KubeApi } from "../api/kube-api.ts";
import { openCluster } from "../config/cluster-config.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import type { KubernetesDiscoverySettings } from "./config.ts";
import { guardNotifier } from "./guard-notifier.ts";
import { Session } from "./session.ts";

/** What a Kubernetes discovery needs of its context. */
export type KubernetesDiscoveryContext = PluginContext & { readonly typedName: TypedName };

/** Makes a discovery; nothing is contacted before it is started. */
export function createKubernetesDiscovery(
  settings: KubernetesDiscoverySettings,
  context: KubernetesDiscoveryContext,
  timing?: Partial<ReflectorTiming>,
): EndpointDiscovery {
  return new KubernetesDiscovery(settings, context, timing);
}

class KubernetesDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName;
  readonly #settings: KubernetesDiscoverySettings;
  readonly #context: KubernetesDiscoveryContext;
  readonly #timing: Partial<ReflectorTiming> | undefined;
  readonly #runs: DiscoveryRuns;
  #session: Session | undefined;

  constructor(
    settings: KubernetesDiscoverySettings,
    context: KubernetesDiscoveryContext,
    timing: Partial<ReflectorTiming> | undefined,
  ) {
    this.typedName = context.typedName;
    this.#runs = createDiscoveryRuns(context.typedName);
    this.#settings = settings;
    this.#context = { ...context, name: context.typedName.name };
    this.#timing = timing;
  }

  ready(): Promise<void> {
    return this.#runs.ready();
  }

  follows(): readonly FollowState[] {
    return this.#session?.follows() ?? [];
  }

  async start(notifier: DiscoveryNotifier, options: { signal: AbortSignal }): Promise<void> {
    await this.#runs.run(async (onReady) => {
      const failed = new AbortController();
      const signal = AbortSignal.any([options.signal, this.#context.signal, failed.signal]);
      let api: KubeApi | undefined;
      try {
        if (signal.aborted) return;
        api = createKubeApi(await openCluster(this.#settings.cluster), this.#context);
        this.#session = new Session({
          api,
          settings: this.#settings,
          context: this.#context,
          timing: this.#timing,
          notifier: guardNotifier(notifier, (error) => failed.abort(error)),
          signal,
          onReady,
        });
        await this.#session.run();
        failed.signal.throwIfAborted();
      } finally {
        api?.close();
        this.#session = undefined;
      }
    });
  }
}
