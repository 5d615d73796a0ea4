import type { Discovery, KeyValueStore } from "@muster/core/plane";
import { createKubeDiscovery } from "@muster/discovery-k8s";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import type { Io } from "../cli/io.ts";
import { errorLogger, type Shown } from "./error-logger.ts";
import type { PlaneConfig } from "./plane-config.ts";

/** A store, and the plane on it. */
export interface OpenPlane extends AsyncDisposable {
  readonly store: KeyValueStore;
  readonly discovery: Discovery;
}

/** Makes the store and the plane; contacts nothing. What they log goes to standard error. */
export async function openPlane(
  config: StoreConfig,
  io: Pick<Io, "err">,
  shown: Shown = "problems",
): Promise<OpenPlane> {
  const context = { logger: errorLogger(io, shown) };
  const store = await createStore(config, context);
  const discovery = createKvDiscovery(store, { context });
  return {
    store,
    discovery,
    async [Symbol.asyncDispose]() {
      await discovery.close();
      await store.close();
    },
  };
}

/** A plane to look at; one on Kubernetes has no store. */
export interface VisiblePlane extends AsyncDisposable {
  readonly store: KeyValueStore | undefined;
  readonly discovery: Discovery;
}

/** As {@link openPlane}, also for a plane on Kubernetes. */
export async function openVisiblePlane(
  config: PlaneConfig,
  io: Pick<Io, "err">,
  shown?: Shown,
): Promise<VisiblePlane> {
  if (config.type !== "kubernetes") return openPlane(config, io, shown);
  const { kubeconfig, context, namespace, mode } = config;
  const cluster = { kubeconfig, context };
  const logger = errorLogger(io, shown ?? "problems");
  const discovery = createKubeDiscovery({ cluster, namespace, mode }, { logger });
  return {
    store: undefined,
    discovery,
    [Symbol.asyncDispose]: () => discovery.close(),
  };
}
