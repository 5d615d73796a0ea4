import { randomUUID } from "node:crypto";

/** One request to the API server of a cluster. */
export interface WorldRequest {
  /** Default `GET`. */
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** How a suite talks to a cluster: HTTP alone, as somebody who may do everything in it. */
export interface ClusterClient {
  /** The JSON of the answer; rejects when the server refuses. */
  request<T>(request: WorldRequest): Promise<T>;
}

/** What a suite knows of an object. */
export interface WorldObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** What a config map is to hold. */
export interface ConfigMapInit {
  readonly labels?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * One namespace of a cluster, whichever cluster: made for a test, and deleted after it. It works with
 * config maps, which need neither kubelet nor controllers.
 */
export interface KubernetesWorld {
  readonly namespace: string;
  create(name: string, init?: ConfigMapInit): Promise<WorldObject>;
  /** Merges into labels and data; null removes. */
  change(
    name: string,
    change: { readonly labels?: object; readonly data?: object },
  ): Promise<WorldObject>;
  /** Resolves when the object is gone. */
  delete(name: string): Promise<void>;
  /** Deletes the namespace. */
  close(): Promise<void>;
}

/** Makes a namespace of its own for a test. */
export async function createKubernetesWorld(client: ClusterClient): Promise<KubernetesWorld> {
  const namespace = `muster-${randomUUID().slice(0, 8)}`;
  await client.request({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  return new NamespaceWorld(client, namespace);
}

class NamespaceWorld implements KubernetesWorld {
  readonly namespace: string;
  readonly #client: ClusterClient;
  readonly #path: string;

  constructor(client: ClusterClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  create(name: string, { labels = {}, data = {} }: ConfigMapInit = {}): Promise<WorldObject> {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data };
    return this.#client.request({ method: "POST", path: this.#path, body });
  }

  change(
    name: string,
    { labels = {}, data = {} }: { readonly labels?: object; readonly data?: object },
  ): Promise<WorldObject> {
    return this.#client.request({
      method: "PATCH",
      path: `${this.#path}/${name}`,
      body: { metadata: { labels }, data },
      contentType: "application/merge-patch+json",
    });
  }

  async delete(name: string): Promise<void> {
    await this.#client.request({ method: "DELETE", path: `${this.#path}/${name}` });
  }

  async close(): Promise<void> {
    await this.#client.request({ method: "DELETE", path: `/api/v1/namespaces/${this.namespace}` });
  }
}
