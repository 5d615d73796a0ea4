import { isMusterError } from "@muster/core";
import { stringifyJson } from "@muster/core/plane";
import { type KubeApi, type KubeIdentity, resourcePath } from "../../src/index.ts";
import { readManifest } from "./manifests.ts";

const label = { "nvidia.com/dynamo-discovery-enabled": "true" };
const pods = { group: "", version: "v1", plural: "pods" };
const slices = { group: "discovery.k8s.io", version: "v1", plural: "endpointslices" };
export const workers = {
  group: "nvidia.com",
  version: "v1alpha1",
  plural: "dynamoworkermetadatas",
};

/** An object as the API gives it. */
export interface ApiObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly [field: string]: unknown;
}

/** Pods, slices and workers' objects in one namespace of a cluster, made as a controller would. */
export class PlaneCluster {
  readonly api: KubeApi;
  readonly namespace: string;

  constructor(api: KubeApi, namespace: string) {
    this.api = api;
    this.namespace = namespace;
  }

  /** Installs the custom resource, and makes a namespace. */
  static async open(api: KubeApi): Promise<PlaneCluster> {
    for (const definition of await readManifest("crd"))
      await api.request({
        method: "PATCH",
        path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`,
        query: { fieldManager: "muster-test", force: true },
        contentType: "application/apply-patch+yaml",
        body: definition,
      });
    const { metadata } = await api.request<ApiObject>({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "muster-plane-" } },
    });
    const cluster = new PlaneCluster(api, metadata.name);
    await cluster.#served();
    return cluster;
  }

  async delete(): Promise<void> {
    await this.api.request({ method: "DELETE", path: `/api/v1/namespaces/${this.namespace}` });
  }

  /** Makes a pod; who it is, it has to be told. */
  async pod(podName: string): Promise<KubeIdentity> {
    const { metadata } = await this.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: podName, labels: label },
      // nobody is to run it
      spec: {
        schedulerName: "nobody",
        containers: ["main", "engine-0"].map((name) => ({ name, image: "none" })),
      },
    });
    return { podName, podUid: metadata.uid, namespace: this.namespace };
  }

  /** Says in one slice which pods are ready, or not. */
  async slice(name: string, entries: readonly SliceEntry[]): Promise<void> {
    await this.apply(slices, name, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, namespace: this.namespace, labels: label },
      addressType: "IPv4",
      ports: [],
      endpoints: entries.map(({ podName, podUid, ready = true }, index) => ({
        addresses: [`10.0.0.${index + 1}`],
        ...(ready !== null && { conditions: { ready } }),
        targetRef: { kind: "Pod", name: podName, ...(podUid !== undefined && { uid: podUid }) },
      })),
    });
  }

  /** A pod that is ready, by a slice of its own. */
  async readyPod(podName: string): Promise<KubeIdentity> {
    const identity = await this.pod(podName);
    await this.slice(podName, [identity]);
    return identity;
  }

  /** Says which containers of a pod are ready. */
  async containers(podName: string, ready: Readonly<Record<string, boolean>>): Promise<void> {
    const containerStatuses = Object.entries(ready).map(([name, is]) => ({
      ...{ name, ready: is, restartCount: 0, image: "none", imageID: "" },
    }));
    await this.api.request({
      method: "PATCH",
      path: this.#path(pods, podName, "status"),
      contentType: "application/merge-patch+json",
      body: { status: { containerStatuses } },
    });
  }

  deletePod(name: string): Promise<void> {
    return this.remove(pods, name);
  }

  deleteSlice(name: string): Promise<void> {
    return this.remove(slices, name);
  }

  /** The object of a worker, or nothing. */
  async worker(name: string): Promise<ApiObject | undefined> {
    return await orNothing(this.api.request<ApiObject>({ path: this.#path(workers, name) }));
  }

  /** Writes a worker's object as somebody else would: everything in it as it is given. */
  async putWorker(
    identity: KubeIdentity,
    spec: unknown,
    { name = identity.podName, owners = [identity], finalizers }: PutWorker = {},
  ): Promise<void> {
    const ownerReferences = owners.map(({ podName, podUid }) => ({
      ...{ apiVersion: "v1", kind: "Pod", name: podName, uid: podUid },
    }));
    const body = writeJson({
      apiVersion: "nvidia.com/v1alpha1",
      kind: "DynamoWorkerMetadata",
      metadata: { name, ownerReferences, finalizers },
      spec,
    });
    const path = this.#path(workers, name);
    const query = { fieldManager: "somebody", force: true };
    const contentType = "application/apply-patch+yaml";
    await this.api.request({ method: "PATCH", path, query, contentType, body });
  }

  deleteWorker(name: string): Promise<void> {
    return this.remove(workers, name);
  }

  async apply(resource: typeof pods, name: string, body: unknown): Promise<ApiObject> {
    const path = this.#path(resource, name);
    const query = { fieldManager: "muster-test", force: true };
    const contentType = "application/apply-patch+yaml";
    return await this.api.request({ method: "PATCH", path, query, contentType, body });
  }

  async create(resource: typeof pods, body: unknown): Promise<ApiObject> {
    return await this.api.request({ method: "POST", path: this.#path(resource), body });
  }

  async remove(resource: typeof pods, name: string): Promise<void> {
    await orNothing(this.api.request({ method: "DELETE", path: this.#path(resource, name) }));
  }

  #path(resource: typeof pods, name?: string, subresource?: string): string {
    return resourcePath(resource, { namespace: this.namespace, name, subresource });
  }

  /** A custom resource is served a moment after it is defined. */
  async #served(): Promise<void> {
    const deadline = performance.now() + 10_000;
    while ((await orNothing(this.api.request({ path: this.#path(workers) }))) === undefined) {
      if (performance.now() > deadline) throw new Error("the custom resource is not served");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What else to say of a worker's object. */
export interface PutWorker {
  /** Default the pod's. */
  readonly name?: string;
  /** Default the pod. */
  readonly owners?: readonly Pick<KubeIdentity, "podName" | "podUid">[];
  readonly finalizers?: readonly string[];
}

/** An endpoint of a slice; null says nothing of whether it is ready. */
export interface SliceEntry {
  readonly podName: string;
  readonly podUid?: string | undefined;
  readonly ready?: boolean | null | undefined;
}

/** JSON with large numbers, or with any nesting. */
function writeJson(value: unknown): string {
  try {
    return stringifyJson(value);
  } catch {
    return JSON.stringify(value);
  }
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMusterError(error) && error.code === "KUBE_NOT_FOUND") return undefined;
    throw error;
  }
}
