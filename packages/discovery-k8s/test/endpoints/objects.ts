import { isMusterError } from "@muster/core";
import { type KubeApi, type KubeResource, resourcePath } from "../../src/index.ts";

/** The kinds of object that tests make. */
export const resources: Readonly<Record<"pods" | "slices" | "pools" | "alphaPools", KubeResource>> =
  {
    pods: { group: "", version: "v1", plural: "pods" },
    slices: { group: "discovery.k8s.io", version: "v1", plural: "endpointslices" },
    pools: { group: "inference.networking.k8s.io", version: "v1", plural: "inferencepools" },
    alphaPools: {
      ...{ group: "inference.networking.x-k8s.io", version: "v1alpha2" },
      plural: "inferencepools",
    },
  };

/** What a pod is to be; everything else is as of one that serves. */
export interface PodInit {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly addresses?: readonly string[];
  readonly phase?: string;
  readonly ready?: boolean;
}

/** What an endpoint in a slice is to be. */
export interface SliceInit {
  readonly service?: string;
  readonly addressType?: string;
  readonly ports?: readonly object[];
  readonly endpoints: readonly object[];
}

/** Makes and changes objects of one namespace through the API, as a user without a kubelet would. */
export class Objects {
  readonly namespace: string;
  readonly #api: KubeApi;

  constructor(api: KubeApi, namespace: string) {
    this.#api = api;
    this.namespace = namespace;
  }

  /** Makes a namespace that nobody else has. */
  static async create(api: KubeApi): Promise<Objects> {
    const name = `muster-${globalThis.crypto.randomUUID().slice(0, 8)}`;
    await api.request({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    });
    const objects = new Objects(api, name);
    // pods need it, and a controller may make it later, or not at all
    await ignoringConflict(
      objects.create(accounts, { kind: "ServiceAccount", metadata: { name: "default" } }),
    );
    return objects;
  }

  async dispose(): Promise<void> {
    await this.#api.request({ method: "DELETE", path: `/api/v1/namespaces/${this.namespace}` });
  }

  async pod(name: string, init: PodInit = {}): Promise<void> {
    const { labels = { app: "vllm" }, annotations = {}, finalizers = [] } = init;
    await this.create(resources.pods, {
      kind: "Pod",
      metadata: { name, labels, annotations, finalizers },
      // nobody is to run it, or to write its status
      spec: {
        schedulerName: "nobody",
        containers: [{ name: "server", image: "vllm/vllm-openai" }],
      },
    });
    await this.status(name, init);
  }

  /** Whatever is not said becomes what it is of a pod that serves. */
  async status(name: string, init: PodInit = {}): Promise<void> {
    const { addresses = ["10.0.0.1"], phase = "Running", ready = true } = init;
    const status = {
      phase,
      podIP: addresses[0] ?? null,
      podIPs: addresses.map((ip) => ({ ip })),
      hostIP: "192.168.0.1",
      hostIPs: [{ ip: "192.168.0.1" }],
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    };
    await this.patch(resources.pods, name, { status }, "status");
  }

  async slice(name: string, init: SliceInit): Promise<void> {
    await this.create(resources.slices, { kind: "EndpointSlice", ...sliceBody(name, init) });
  }

  /** Endpoints and ports are replaced. */
  async reslice(name: string, init: SliceInit): Promise<void> {
    const { addressType: _fixed, ...body } = sliceBody(name, init);
    await this.patch(resources.slices, name, body);
  }

  async pool(name: string, matchLabels: object, ports: readonly number[]): Promise<void> {
    const targetPorts = ports.map((number) => ({ number }));
    const spec = {
      selector: { matchLabels },
      targetPorts,
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    };
    await this.create(resources.pools, { kind: "InferencePool", metadata: { name }, spec });
  }

  async alphaPool(name: string, selector: object, targetPortNumber: number): Promise<void> {
    const spec = { selector, targetPortNumber, extensionRef: { name: "epp" } };
    await this.create(resources.alphaPools, { kind: "InferencePool", metadata: { name }, spec });
  }

  async create(resource: KubeResource, body: object): Promise<void> {
    const { group, version } = resource;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const path = resourcePath(resource, { namespace: this.namespace });
    await this.#api.request({ method: "POST", path, body: { apiVersion, ...body } });
  }

  async patch(
    resource: KubeResource,
    name: string,
    body: object,
    subresource?: string,
  ): Promise<void> {
    await this.#api.request({
      method: "PATCH",
      path: resourcePath(resource, { namespace: this.namespace, name, subresource }),
      body,
      contentType: "application/merge-patch+json",
    });
  }

  async remove(resource: KubeResource, name: string): Promise<void> {
    const path = resourcePath(resource, { namespace: this.namespace, name });
    await this.#api.request({ method: "DELETE", path });
  }

  async uid(resource: KubeResource, name: string): Promise<string> {
    const path = resourcePath(resource, { namespace: this.namespace, name });
    const { metadata } = await this.#api.request<{ metadata: { uid: string } }>({ path });
    return metadata.uid;
  }
}

function sliceBody(name: string, init: SliceInit) {
  const { service = "vllm", addressType = "IPv4", endpoints } = init;
  return {
    metadata: { name, labels: { "kubernetes.io/service-name": service } },
    addressType,
    ports: init.ports ?? [{ name: "http", port: 8000, protocol: "TCP" }],
    endpoints,
  };
}

/** Installs the kind InferencePool in this version, if it is not there, and waits for it. */
export async function installPools(api: KubeApi, resource: KubeResource): Promise<void> {
  const { group, version, plural } = resource;
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: schema, status: schema } };
  await ignoringConflict(
    api.request({
      method: "POST",
      path: definitions,
      body: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: {
          name: `${plural}.${group}`,
          annotations: { "api-approved.kubernetes.io": "unapproved, for tests only" },
        },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural, singular: "inferencepool", kind: "InferencePool" },
          versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      },
    }),
  );
  // a real server takes a moment to serve it
  for (let tries = 0; tries < 100; tries += 1) if (await isServed(api, resource)) return;
  throw new Error(`${plural}.${group} is not served`);
}

/** Removes the kind and every pool of it. */
export async function uninstallPools(api: KubeApi, { plural, group }: KubeResource): Promise<void> {
  await api.request({ method: "DELETE", path: `${definitions}/${plural}.${group}` });
}

async function ignoringConflict(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isMusterError(error) || error.code !== "KUBE_CONFLICT") throw error;
  }
}

const accounts: KubeResource = { group: "", version: "v1", plural: "serviceaccounts" };
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function isServed(api: KubeApi, resource: KubeResource): Promise<boolean> {
  try {
    await api.request({ path: resourcePath(resource, { namespace: "default" }) });
    return true;
  } catch (error) {
    if (isMusterError(error)) return false;
    throw error;
  }
}
