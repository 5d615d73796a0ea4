import {
  type FollowState,
  formatGroupVersionKind,
  type GroupVersionKind,
  type NotificationEvent,
  type ObjectWatcher,
  type ObjectWatchOptions,
  type PluginContext,
  type TypedName,
} from "@muster/core";
import { createKubeApi, type KubeApi } from "../api/kube-api.ts";
import { openCluster } from "../config/cluster-config.ts";
import { EventStream } from "../reflector/event-stream.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import type { KubernetesWatcherSettings } from "./config.ts";
import { identityOf, KindReader } from "./kind-reader.ts";
import { KindWatch } from "./kind-watch.ts";

/** What an object watcher needs of its context. */
export type WatcherContext = PluginContext & { readonly typedName: TypedName };

/** Makes a watcher; nothing is contacted before the first event is asked for. */
export function createKubernetesObjectWatcher(
  settings: KubernetesWatcherSettings,
  context: WatcherContext,
  timing?: Partial<ReflectorTiming>,
): ObjectWatcher {
  return new KubernetesObjectWatcher(settings, context, timing);
}

class KubernetesObjectWatcher implements ObjectWatcher {
  readonly typedName: TypedName;
  readonly #settings: KubernetesWatcherSettings;
  readonly #context: WatcherContext;
  readonly #timing: Partial<ReflectorTiming> | undefined;
  readonly #kinds = new Map<string, KindWatch>();
  readonly #stopping = new AbortController();
  /** Readers that have not ended. */
  readonly #running = new Set<Promise<void>>();
  /** Open while anything is watched. */
  #api: Promise<KubeApi> | undefined;

  constructor(
    settings: KubernetesWatcherSettings,
    context: WatcherContext,
    timing: Partial<ReflectorTiming> | undefined,
  ) {
    this.typedName = context.typedName;
    this.#settings = settings;
    this.#context = { ...context, name: context.typedName.name };
    this.#timing = timing;
  }

  watch(
    gvk: GroupVersionKind,
    { signal, onInterruption }: ObjectWatchOptions,
  ): AsyncIterableIterator<NotificationEvent> {
    let reader: KindReader | undefined;
    return new EventStream<NotificationEvent>({
      signal: AbortSignal.any([signal, this.#stopping.signal, this.#context.signal]),
      next: () => reader?.next(),
      run: (ending, wake) => {
        reader = new KindReader(identityOf(gvk), wake, onInterruption);
        const run = this.#serve(gvk, reader, ending).finally(() => this.#running.delete(run));
        this.#running.add(run);
        return run;
      },
    });
  }

  follows(gvk: GroupVersionKind): readonly FollowState[] {
    return this.#kinds.get(formatGroupVersionKind(gvk))?.follows() ?? [];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #serve(gvk: GroupVersionKind, reader: KindReader, signal: AbortSignal): Promise<void> {
    const key = formatGroupVersionKind(gvk);
    const kind = this.#kinds.get(key) ?? this.#open(gvk);
    this.#kinds.set(key, kind);
    kind.join(reader);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (!kind.leave(reader)) return;
    this.#kinds.delete(key);
    const unused = this.#kinds.size === 0 ? this.#api : undefined;
    if (unused !== undefined) this.#api = undefined;
    await kind.ended();
    (await unused?.catch(() => undefined))?.close();
  }

  #open(gvk: GroupVersionKind): KindWatch {
    return new KindWatch({
      gvk,
      settings: this.#settings,
      context: this.#context,
      timing: this.#timing,
      openApi: () => this.#openApi(),
    });
  }

  #openApi(): Promise<KubeApi> {
    this.#api ??= openCluster(this.#settings.cluster).then(
      (cluster) => createKubeApi(cluster, this.#context),
      (error: unknown) => {
        // what is wrong with the configuration of a cluster may be put right
        this.#api = undefined;
        throw error;
      },
    );
    return this.#api;
  }
}
