import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { startCluster } from "./kubernetes-cluster.ts";
import { runApp, testFolder } from "./running-app.ts";

/** Tells each endpoint the uid of its pod; as a package of somebody else's, with a copy of core of its own. */
const plugin = `
const { freeze } = Object;
const gvk = { group: "", version: "v1", kind: "Pod" };
const key = freeze({ name: "acme/pod-uid", is: undefined });
const uids = new Map();
const definition = {
  kind: "extractor", type: "acme-uid-extractor", apiVersion: "muster/v1", description: "",
  produces: [key], consumes: [],
  configSchema: { "~standard": { version: 1, vendor: "acme", validate: (value) => ({ value }) } },
  create(config, { endpoints }) {
    const owner = { type: "acme-uid-extractor", name: "acme-uid-extractor" };
    const write = (endpoint) => {
      const uid = uids.get(endpoint.metadata.podName);
      if (uid !== undefined) endpoint.attributes.put(key, uid);
    };
    const arrivals = {
      typedName: { type: "acme-arrivals", name: "acme-arrivals" }, variant: "endpoint", produces: [key],
      extract: ({ type, endpoint }) => { if (type === "AddOrUpdate") write(endpoint); },
    };
    return {
      typedName: owner, variant: "notification", gvk, produces: [key],
      extract({ type, object: { metadata } }) {
        if (type === "AddOrUpdate") uids.set(metadata.name, metadata.uid);
        for (const { id } of endpoints.byPod(metadata.namespace, metadata.name)) write(endpoints.writer(id));
      },
      registerDependencies: (registrar) => registrar.register({
        owner, sourceType: "endpoint-notification-source", extractor: arrivals,
        defaultSource: { type: "endpoint-notification-source" },
      }),
    };
  },
};
export default Object.defineProperty(definition, Symbol.for("muster.plugin-definition"), { value: true });
`;

const config = `
apiVersion: muster/v1
kind: MusterConfig
plugins:
  - type: k8s-discovery
    parameters: { selector: { matchLabels: { app: llama }, ports: [8000] } }
  - { type: k8s-notification-source, parameters: { version: v1, kind: Pod } }
  - { type: acme-uid-extractor, package: ./plugin.mjs }
dataLayer:
  discovery: { pluginRef: k8s-discovery }
  sources:
    - pluginRef: k8s-notification-source
      extractors: [{ pluginRef: acme-uid-extractor }]
`;

it("muster run gives notification extractors their events, with nothing said of a watcher", async () => {
  await using folder = await testFolder();
  await using cluster = await startCluster();
  const kubeconfig = join(folder.path, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig);
  await writeFile(join(folder.path, "plugin.mjs"), plugin);
  vi.stubEnv("KUBECONFIG", kubeconfig);
  try {
    await using app = await runApp(folder.path, config);
    await cluster.createPod("a", 8000);
    await app.until(
      (all) => typeof all.get("default/a-rank-0")?.attributes["acme/pod-uid"] === "string",
    );
    const watches = async (): Promise<unknown> =>
      ((await (await fetch(`${app.url}/readyz`)).json()) as { watches: unknown }).watches;
    const source = "k8s-notification-source/k8s-notification-source";
    const follows = [{ what: "pods in default", syncAge: expect.any(Number), restarts: 0 }];
    expect(await watches()).toMatchObject([
      { source, kind: "v1, Kind=Pod", state: "running", follows },
    ]);
    await cluster.stop();
    const down = [{ source, state: "degraded", error: { code: "KUBE_UNAVAILABLE" } }];
    await expect.poll(watches, { timeout: 10_000 }).toMatchObject(down);
    await cluster.start();
    await expect.poll(watches, { timeout: 20_000 }).toMatchObject([{ state: "running" }]);
  } finally {
    vi.unstubAllEnvs();
  }
});
