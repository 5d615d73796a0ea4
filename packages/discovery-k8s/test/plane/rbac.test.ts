import { expect, it, vi } from "vitest";
import { createKubeApi, directCluster } from "../../src/index.ts";
import { type Manifest, readManifest } from "./manifests.ts";
import { endpoint } from "./records.ts";
import { openFakePlaneWorld } from "./world.ts";

const all = { type: "AllEndpoints" } as const;
const paths: Readonly<Record<string, string>> = {
  Role: "/apis/rbac.authorization.k8s.io/v1",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1",
  ServiceAccount: "/api/v1",
};

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What Roles allow, as `verb group/resource`. */
function allowed(manifests: readonly Manifest[]): string[] {
  const rules = manifests.flatMap(({ rules = [] }) => rules as Rule[]);
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    verbs.flatMap((verb) => resources.map((resource) => `${verb} ${apiGroups[0]}/${resource}`)),
  );
}

it("asks for exactly what the shipped Roles allow", async () => {
  await using world = await openFakePlaneWorld("admin");
  const { cluster, server } = world;
  const { namespace } = cluster;
  const manifests = await readManifest("rbac");
  for (const object of manifests)
    await cluster.api.request({
      method: "POST",
      path: `${paths[object.kind]}/namespaces/${namespace}/${object.kind.toLowerCase()}s`,
      body: { ...object, metadata: { ...object.metadata, namespace } },
    });
  const token = server.addServiceAccount(namespace, "muster-discovery-plane");
  const api = createKubeApi(directCluster({ server: server.url, token, namespace }));
  const identity = await cluster.readyPod("worker-0");
  await cluster.putWorker(identity, { data: {} });
  const worker = world.plane({ api, identity });
  await worker.register(endpoint());
  for (const mode of ["pod", "container"] as const) {
    const reader = world.plane({ api, namespace, mode });
    await reader.check();
    await reader.list(all);
    const stream = await reader.listAndWatch(all);
    await vi.waitFor(() => expect(server.openWatches).toBe(2), 4000);
    await stream.return?.();
    await vi.waitFor(() => expect(server.openWatches).toBe(0), 4000);
  }
  await worker.close();
  const refused = server.requests.filter(
    ({ user, status }) => /plane$/.test(user) && status === 403,
  );
  expect(refused).toEqual([]);
  // an object that is not there is created by patch: an API server asks for both verbs
  const verbs = [...asked(), "create nvidia.com/dynamoworkermetadatas"];
  expect(verbs.sort()).toEqual(allowed(manifests).sort());
  api.close();

  function asked(): Set<string> {
    const ours = server.requests.filter(({ user }) => user.endsWith("muster-discovery-plane"));
    return new Set(ours.map(({ verb, group, resource }) => `${verb} ${group}/${resource}`));
  }
});

it("names the verb and the resource that are not allowed", async () => {
  await using world = await openFakePlaneWorld("admin");
  const { namespace } = world.cluster;
  const token = world.server.addServiceAccount(namespace, "nobody");
  const api = createKubeApi(directCluster({ server: world.server.url, token, namespace }));
  const plane = world.plane({ api, namespace, syncTimeout: 100 });
  for (const call of [() => plane.check(), () => plane.list(all), () => plane.listAndWatch(all)])
    await expect(call()).rejects.toThrow(
      expect.objectContaining({
        code: "KUBE_FORBIDDEN",
        message: expect.stringMatching(/list resource "(dynamoworkermetadatas|endpointslices)"/),
      }),
    );
  api.close();
});
