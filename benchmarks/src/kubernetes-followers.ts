import { CoreV1Api, makeInformer } from "@kubernetes/client-node";
import { createKubeApi, createReflector, directCluster } from "@muster/discovery-k8s";
import { kubeConfigOf } from "./kubernetes-informer.ts";

/** Somebody who follows the config maps of the namespace `default`, and is kept alive. */
export interface Follower {
  readonly name: string;
  /** Whether it knows of this one. */
  has(name: string): boolean;
  stop(): Promise<void>;
}

/** How long `examples/` of client-node wait before they start an informer that gave up again, ms. */
const restartAfter = 5000;

/** Our reflector, which needs nobody to look after it; `silence` only where defaults take too long. */
export async function followByReflector(server: string, silence?: number): Promise<Follower> {
  const api = createKubeApi(directCluster({ server }));
  const stop = new AbortController();
  const names = new Set<string>();
  const reflector = createReflector({
    api,
    resource: { group: "", version: "v1", plural: "configmaps" },
    namespace: "default",
    ...(silence !== undefined && { timing: { silence } }),
  });
  const events = reflector.events({ signal: stop.signal });
  const apply = async (): Promise<void> => {
    for await (const event of events)
      if (event.type === "Deleted") names.delete(event.object.metadata.name);
      else if (event.type !== "Synced") names.add(event.object.metadata.name);
  };
  const applied = apply();
  return {
    name: "muster reflector",
    has: (name) => names.has(name),
    stop: async () => {
      stop.abort();
      await applied;
      api.close();
    },
  };
}

/** `makeInformer`, started again whenever it gives up, as its examples do. */
export async function followByInformer(server: string): Promise<Follower> {
  const config = kubeConfigOf(server);
  const api = config.makeApiClient(CoreV1Api);
  const path = "/api/v1/namespaces/default/configmaps";
  const list = () => api.listNamespacedConfigMap({ namespace: "default" });
  const informer = makeInformer(config, path, list);
  let stopped = false;
  informer.on("error", () => {
    // it says so when it is stopped, too
    if (!stopped) setTimeout(() => stopped || void informer.start(), restartAfter).unref();
  });
  await informer.start();
  return {
    name: "client-node makeInformer",
    has: (name) => informer.get(name, "default") !== undefined,
    stop: async () => {
      stopped = true;
      await informer.stop();
    },
  };
}
