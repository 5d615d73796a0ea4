import process from "node:process";
import type { PluginContext } from "@muster/core";
import type { Discovery } from "@muster/core/plane";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import {
  createKubeApi,
  createKubeDiscovery,
  directCluster,
  type KubeApi,
  type KubeDiscoveryOptions,
  loadCluster,
  type ReflectorTiming,
} from "../../src/index.ts";
import { PlaneCluster } from "./cluster.ts";

/** A namespace with the custom resource, and planes in it that are closed at the end. */
export interface PlaneWorld extends AsyncDisposable {
  readonly cluster: PlaneCluster;
  /** Makes a plane that sees, or is, what the options say. */
  plane(options?: KubeDiscoveryOptions, context?: Partial<PluginContext>): Discovery;
  /** A worker whose pod is ready. */
  worker(name: string): Promise<Discovery>;
}

/** A {@link PlaneWorld} whose server can be told to fail. */
export interface FakePlaneWorld extends PlaneWorld {
  readonly server: KubernetesServer;
}

/** Times in which a test can wait for every recovery, where bookmarks come every 100 ms. */
const fast: Partial<ReflectorTiming> = {
  retryInitial: 10,
  retryCap: 50,
  reconnectCap: 50,
  silence: 2000,
};

/** In the cluster that `MUSTER_TEST_KUBECONFIG` names, or else on a server of its own. */
export async function openPlaneWorld(): Promise<PlaneWorld> {
  const kubeconfig = process.env.MUSTER_TEST_KUBECONFIG;
  if (kubeconfig === undefined) return await openFakePlaneWorld();
  const api = createKubeApi(await loadCluster({ kubeconfig }));
  const cluster = await PlaneCluster.open(api);
  return makeWorld(cluster, {}, async () => {
    await cluster.delete();
    api.close();
  });
}

/** For tests of faults and of what is asked. */
export async function openFakePlaneWorld(token?: string): Promise<FakePlaneWorld> {
  const server = createKubernetesServer({ bookmarkInterval: 100, token });
  await server.start();
  const api: KubeApi = createKubeApi(directCluster({ server: server.url, token }));
  const cluster = await PlaneCluster.open(api);
  const world = makeWorld(cluster, { timing: fast }, async () => {
    api.close();
    await server.stop();
  });
  return Object.assign(world, { server });
}

function makeWorld(
  cluster: PlaneCluster,
  defaults: KubeDiscoveryOptions,
  close: () => Promise<void>,
): PlaneWorld {
  const planes: Discovery[] = [];
  const { api, namespace } = cluster;
  const plane: PlaneWorld["plane"] = (options = {}, context = {}) => {
    const where = options.identity === undefined ? { namespace } : {};
    const made = createKubeDiscovery({ api, ...defaults, ...where, ...options }, context);
    planes.push(made);
    return made;
  };
  return {
    cluster,
    plane,
    worker: async (name) => plane({ identity: await cluster.readyPod(name) }),
    async [Symbol.asyncDispose]() {
      for (const each of planes) await each.close();
      await close();
    },
  };
}
