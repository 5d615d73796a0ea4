import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import type { ClusterConfig, ReflectorTiming } from "../../src/index.ts";
import { createKubeApi, directCluster, type KubeApi, loadCluster } from "../../src/index.ts";
import { Following, type FollowingOptions } from "./following.ts";
import { Objects } from "./objects.ts";

/** A cluster for one test, and what is in one namespace of it. */
export interface World extends AsyncDisposable {
  readonly api: KubeApi;
  /** How a discovery finds it. */
  readonly cluster: ClusterConfig;
  /** Unset for a real cluster. */
  readonly server?: KubernetesServer;
  readonly objects: Objects;
  /** Name of the namespace of `objects`. */
  readonly namespace: string;
  /** Makes another namespace. */
  another(): Promise<Objects>;
  /** Starts a discovery in this cluster. */
  follow(config: FollowingOptions["config"], options?: Partial<FollowingOptions>): Following;
}

/** A {@link World} whose server can be told to fail. */
export interface FakeWorld extends World {
  readonly server: KubernetesServer;
}

/** Times in which a test can wait for every recovery, where bookmarks come every 100 ms. */
const fast: Partial<ReflectorTiming> = {
  retryInitial: 10,
  retryCap: 50,
  reconnectCap: 50,
  silence: 400,
};

/** The cluster that `MUSTER_TEST_KUBECONFIG` names, or else a server of its own. */
export async function openWorld(): Promise<World> {
  const kubeconfig = process.env.MUSTER_TEST_KUBECONFIG;
  if (kubeconfig === undefined) return openFakeWorld();
  const api = createKubeApi(await loadCluster({ kubeconfig }));
  return makeWorld(api, { kubeconfig }, { close: async () => api.close() });
}

/** For tests of faults and of what belongs to a whole cluster. */
export async function openFakeWorld(): Promise<FakeWorld> {
  const token = "admin";
  const server = createKubernetesServer({ token, bookmarkInterval: 100 });
  await server.start();
  const folder = await mkdtemp(join(tmpdir(), "muster-k8s-"));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, token);
  const cluster = { server: server.url, tokenFile };
  const api = createKubeApi(directCluster(cluster));
  const world = await makeWorld(api, cluster, {
    timing: fast,
    async close() {
      api.close();
      await server.stop();
      await rm(folder, { recursive: true });
    },
  });
  return Object.assign(world, { server });
}

async function makeWorld(
  api: KubeApi,
  cluster: ClusterConfig,
  { timing, close }: { timing?: Partial<ReflectorTiming>; close(): Promise<void> },
): Promise<World> {
  const followings: Following[] = [];
  const spaces: Objects[] = [];
  const another = async (): Promise<Objects> => {
    const objects = await Objects.create(api);
    spaces.push(objects);
    return objects;
  };
  const objects = await another();
  return {
    ...{ api, cluster, objects },
    namespace: objects.namespace,
    another,
    follow(config, options = {}) {
      const following = new Following({ cluster, timing, ...options, config });
      followings.push(following);
      return following;
    },
    async [Symbol.asyncDispose]() {
      for (const following of followings) await following.stop();
      // a server of its own ends anyway, and may not answer any more
      if (cluster.kubeconfig !== undefined) for (const space of spaces) await space.dispose();
      await close();
    },
  };
}
