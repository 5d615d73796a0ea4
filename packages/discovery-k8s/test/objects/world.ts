import process from "node:process";
import {
  createPluginContext,
  type GroupVersionKind,
  isMusterError,
  type ObjectWatcher,
  type PluginContext,
  typedName,
} from "@muster/core";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import {
  type ClusterConfig,
  createKubeApi,
  directCluster,
  type KubeApi,
  type KubernetesWatcherConfig,
  loadCluster,
  type ReflectorTiming,
} from "../../src/index.ts";
import { createKubernetesObjectWatcher } from "../../src/objects/object-watcher.ts";

/** Objects of this kind need neither kubelet nor controllers. */
export const configMaps: GroupVersionKind = { group: "", version: "v1", kind: "ConfigMap" };

/** Times in which a test can wait for every recovery. */
const fast: Partial<ReflectorTiming> = { retryInitial: 10, retryCap: 50, reconnectCap: 50 };

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What a custom kind is to be. */
export interface KindInit {
  readonly plural: string;
  readonly scope?: "Namespaced" | "Cluster";
  /** Default: kind and `List`. */
  readonly listKind?: string;
}

/** A namespace of a cluster, config maps and custom kinds in it, and watchers that look at it. */
export class World {
  readonly api: KubeApi;
  readonly namespace: string = `muster-${globalThis.crypto.randomUUID().slice(0, 8)}`;
  readonly #cluster: ClusterConfig;
  readonly #close: () => Promise<void>;
  readonly #kinds: string[] = [];
  readonly #watchers: ObjectWatcher[] = [];

  constructor(api: KubeApi, cluster: ClusterConfig, close: () => Promise<void>) {
    this.api = api;
    this.#cluster = cluster;
    this.#close = close;
  }

  async create(): Promise<this> {
    await this.createNamespace(this.namespace);
    return this;
  }

  async createNamespace(name: string): Promise<void> {
    await this.#post("/api/v1/namespaces", {
      ...{ apiVersion: "v1", kind: "Namespace", metadata: { name } },
    });
  }

  /** A watcher of the namespace, unless told otherwise. */
  watcher(
    config: Omit<KubernetesWatcherConfig, "cluster"> = {},
    context: Partial<PluginContext> = {},
  ): ObjectWatcher {
    const watcher = createKubernetesObjectWatcher(
      { namespaces: [this.namespace], ...config, cluster: this.#cluster },
      { ...createPluginContext(context), typedName: typedName("k8s-object-watcher", "watcher") },
      fast,
    );
    this.#watchers.push(watcher);
    return watcher;
  }

  /** Creates a config map or changes it. */
  async put(name: string, mark: string, namespace: string = this.namespace): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const metadata = { name, annotations: { mark }, labels: { mark } };
    try {
      await this.#post(path, { apiVersion: "v1", kind: "ConfigMap", metadata });
    } catch (error) {
      if (!isMusterError(error) || error.code !== "KUBE_CONFLICT") throw error;
      await this.api.request({
        ...{ method: "PATCH", path: `${path}/${name}`, body: { metadata } },
        contentType: "application/merge-patch+json",
      });
    }
  }

  async remove(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${name}`;
    await this.api.request({ method: "DELETE", path });
  }

  /** Installs a custom kind. */
  async install({ group, version, kind }: GroupVersionKind, init: KindInit): Promise<void> {
    const { plural, scope = "Namespaced", listKind = `${kind}List` } = init;
    const name = `${plural}.${group}`;
    const openAPIV3Schema = { type: "object" };
    await this.#post(definitions, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name },
      spec: {
        ...{ group, scope, names: { plural, kind, listKind, singular: kind.toLowerCase() } },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    this.#kinds.push(name);
  }

  async uninstall(name: string): Promise<void> {
    this.#kinds.splice(this.#kinds.indexOf(name), 1);
    await this.api.request({ method: "DELETE", path: `${definitions}/${name}` });
  }

  /** Creates an object of a custom kind, as soon as the server takes it. */
  async add(gvk: GroupVersionKind, plural: string, name: string, cluster = false): Promise<void> {
    const { group, version, kind } = gvk;
    const apiVersion = `${group}/${version}`;
    const place = cluster ? "" : `/namespaces/${this.namespace}`;
    const body = { apiVersion, kind, metadata: { name, annotations: { mark: "1" } } };
    for (let tries = 0; ; tries += 1)
      try {
        await this.#post(`/apis/${apiVersion}${place}/${plural}`, body);
        return;
      } catch (error) {
        // a real server takes a moment to serve a new kind
        if (!isMusterError(error) || error.code !== "KUBE_NOT_FOUND" || tries > 200) throw error;
      }
  }

  async close(): Promise<void> {
    for (const watcher of this.#watchers) await watcher.stop?.();
    for (const name of [...this.#kinds]) await this.uninstall(name);
    const path = `/api/v1/namespaces/${this.namespace}`;
    await this.api.request({ method: "DELETE", path });
    this.api.close();
    await this.#close();
  }

  async #post(path: string, body: object): Promise<void> {
    await this.api.request({ method: "POST", path, body });
  }
}

/** In the cluster that `MUSTER_TEST_KUBECONFIG` names, or else on a server of its own. */
export async function openWorld(): Promise<World & { readonly server?: KubernetesServer }> {
  const kubeconfig = process.env.MUSTER_TEST_KUBECONFIG;
  if (kubeconfig === undefined) return await openFakeWorld();
  const api = createKubeApi(await loadCluster({ kubeconfig }));
  return await new World(api, { kubeconfig }, async () => undefined).create();
}

/** For tests of faults, of rights and of what is asked. */
export async function openFakeWorld(
  tokenFile?: string,
  token?: string,
): Promise<World & { readonly server: KubernetesServer }> {
  const server = createKubernetesServer({ bookmarkInterval: 100, token });
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url, token }));
  const world = new World(api, { server: server.url, tokenFile }, () => server.stop());
  return Object.assign(await world.create(), { server });
}

/** A kind that no other test has. */
export function uniqueKind(kind: string): GroupVersionKind {
  const group = `t${globalThis.crypto.randomUUID().slice(0, 8)}.muster.test`;
  return { group, version: "v1", kind };
}
