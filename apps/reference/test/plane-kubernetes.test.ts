import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKubeApi, createKubeDiscovery, directCluster } from "@muster/discovery-k8s";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { muster, reader } from "./muster-process.ts";
import { runCli } from "./run-cli.ts";

const namespace = "default";
let server: KubernetesServer;
let folder: string;
let url: string;
let worker: ReturnType<typeof createKubeDiscovery>;
let api: ReturnType<typeof createKubeApi>;

const endpoint = {
  type: "Endpoint",
  ...{ namespace: "dynamo", component: "backend", endpoint: "generate" },
  transport: { tcp: "10.0.0.5:41234/2a/generate" },
} as const;
const key = "v1/instances/dynamo/backend/generate/43710f49c0cff";

beforeEach(async () => {
  server = createKubernetesServer();
  await server.start();
  folder = await mkdtemp(join(tmpdir(), "muster-kube-"));
  const kubeconfig = join(folder, "config");
  await writeFile(kubeconfig, server.kubeconfig());
  url = `kubernetes://${namespace}?kubeconfig=${encodeURIComponent(kubeconfig)}`;
  api = createKubeApi(directCluster({ server: server.url }));
  const make = (path: string, body: object) =>
    api.request<{ metadata: { uid: string } }>({ method: "POST", path, body });
  const crd = new URL(import.meta.resolve("@muster/discovery-k8s/manifests/crd.yaml"));
  await make(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    parse(await readFile(crd, "utf8")),
  );
  const { metadata } = await make("/api/v1/namespaces/default/pods", {
    metadata: { name: "worker-0" },
    spec: { containers: [{ name: "main", image: "worker" }] },
  });
  await make("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name: "workers", labels: { "nvidia.com/dynamo-discovery-enabled": "true" } },
    addressType: "IPv4",
    endpoints: [
      {
        ...{ addresses: ["10.0.0.5"], conditions: { ready: true } },
        targetRef: { kind: "Pod", name: "worker-0", uid: metadata.uid },
      },
    ],
  });
  const identity = { podName: "worker-0", podUid: metadata.uid, namespace };
  worker = createKubeDiscovery({ api, identity });
});

afterEach(async () => {
  await worker.close();
  api.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

describe("muster discovery on Kubernetes", () => {
  it("lists and watches what workers register", async () => {
    const watch = muster("discovery", "watch", "--store", url, "--json");
    const watched = reader(watch, "stdout");
    await watched(/"resync","kind":"event-sources"/);
    await worker.register(endpoint);
    await watched(/"added","record":.*1186445869714687/);
    const list = await runCli(["discovery", "list", "--store", url, "--keys"]);
    expect([list.code, list.out]).toEqual([0, `${key}\n`]);
    await worker.close();
    await watched(/"removed","kind":"endpoints","key":"v1\/instances.*43710f49c0cff/);
    watch.kill("SIGTERM");
    expect(await once(watch, "exit")).toEqual([0, null]);
  });

  it("waits for a cluster that is away, as long as it is told to", async () => {
    await server.stop();
    const list = await runCli(["discovery", "list", "--store", url]);
    expect([list.code, list.err]).toEqual([1, expect.stringContaining("KUBE_UNAVAILABLE")]);
    await server.start();
  });

  it.each([["register"], ["unregister", key]])("leaves %s to workers", async (...command) => {
    const flags =
      command[0] === "register" ? ["--namespace", "dynamo", "--http", "http://a:1"] : [];
    const { code, err } = await runCli(["discovery", ...command, "--store", url, ...flags]);
    expect([code, err]).toEqual([2, expect.stringContaining("workers register themselves")]);
  });
});
