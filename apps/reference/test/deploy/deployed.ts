import { fileURLToPath } from "node:url";
import { createKubeApi, directCluster, type KubeApi } from "@muster/discovery-k8s";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { type Manifest, readObjects, renderBase } from "./render.ts";

/** A cluster to which `deploy/` has been applied, in the namespace `serving`. */
export interface Deployed extends AsyncDisposable {
  readonly server: KubernetesServer;
  readonly objects: readonly Manifest[];
  /** The only object of a kind, or that of a name. */
  find(kind: string, name?: string): Manifest;
  /** Server-side apply. */
  apply(object: Manifest): Promise<Manifest>;
  remove(object: Manifest): Promise<void>;
  /** Makes the kinds that other projects define. */
  installKinds(): Promise<void>;
  /** A pod with the label `app: llama`, ready at 127.0.0.1 unless said otherwise. */
  pod(name: string): Promise<void>;
  removePod(name: string): Promise<void>;
}

export const namespace = "serving";
const definitions = fileURLToPath(new URL("definitions.yaml", import.meta.url));

/** Starts an API server and applies the base with some components; other projects' kinds are there unless `bare`. */
export async function deploy(
  components: readonly string[] = [],
  { bare = false }: { readonly bare?: boolean } = {},
): Promise<Deployed> {
  const objects = await renderBase(...components);
  const server = createKubernetesServer({ token: "admin" });
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url, token: "admin" }));
  const apply = (object: Manifest): Promise<Manifest> => applyTo(api, object);
  const installKinds = async (): Promise<void> => {
    for (const definition of await readObjects(definitions)) await apply(definition);
  };
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  if (!bare) await installKinds();
  for (const object of objects) await apply(object);
  return {
    ...{ server, objects, apply, installKinds },
    find: (kind, name) => found(objects, kind, name),
    remove: async (object) => void (await api.request({ method: "DELETE", path: pathOf(object) })),
    async pod(name) {
      await apply(podManifest(name));
      const conditions = [{ type: "Ready", status: "True" }];
      await api.request({
        method: "PATCH",
        path: `${pathOf(podManifest(name))}/status`,
        contentType: "application/merge-patch+json",
        body: { status: { phase: "Running", podIP: "127.0.0.1", conditions } },
      });
    },
    removePod: async (name) =>
      void (await api.request({ method: "DELETE", path: pathOf(podManifest(name)) })),
    async [Symbol.asyncDispose]() {
      api.close();
      await server.stop();
    },
  };
}

/** The only object of a kind, or that of a name. */
export function found(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  const all = objects.filter(
    (it) => it.kind === kind && (name === undefined || it.metadata.name === name),
  );
  const [object] = all;
  if (object === undefined || all.length > 1)
    throw new Error(`${all.length} ${kind} ${name ?? ""}`);
  return object;
}

async function applyTo(api: KubeApi, object: Manifest): Promise<Manifest> {
  return await api.request({
    method: "PATCH",
    path: pathOf(object),
    query: { fieldManager: "kubectl", force: true },
    contentType: "application/apply-patch+yaml",
    body: object,
  });
}

const clusterWide = new Set(["CustomResourceDefinition", "Namespace"]);

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const where = clusterWide.has(kind) ? "" : `/namespaces/${metadata.namespace ?? namespace}`;
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
  return `${root}${where}/${plural}/${metadata.name}`;
}

function podManifest(name: string): Manifest {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "llama" } },
    spec: { containers: [{ name: "server", image: "vllm/vllm-openai" }] },
  };
}
