import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createModelServer } from "@muster/sim";
import { expect, it, vi } from "vitest";
import { startCluster } from "./kubernetes-cluster.ts";
import { type RunningApp, runApp, testFolder } from "./running-app.ts";

const config = (kubeconfig: string): string => `
apiVersion: muster/v1
kind: MusterConfig
interval: 100ms
plugins:
  - type: k8s-discovery
    parameters:
      inferencePool: { name: llama, namespace: default }
      cluster: { kubeconfig: ${kubeconfig} }
discovery: { pluginRef: k8s-discovery }
`;

/** A machine that is busy may need longer than a test has usually. */
const slow = { timeout: 30_000 };

interface Readiness {
  readonly reasons: readonly string[];
  readonly discoveries: readonly { readonly state: string; readonly error?: { code: string } }[];
}

async function readyz({ url }: RunningApp): Promise<[number, Readiness]> {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, (await answer.json()) as Readiness];
}

/** Runs the app over a cluster that has neither the pool nor its kind yet, and three model servers. */
async function setUp() {
  const folder = await testFolder();
  const cluster = await startCluster();
  const servers = [1, 2, 3].map((seed) => createModelServer({ engine: "vllm", seed }));
  for (const server of servers) await server.start();
  const kubeconfig = join(folder.path, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig);
  const app = await runApp(folder.path, config(kubeconfig));
  const ports = servers.map(({ port }) => port);
  const close = async (): Promise<void> => {
    for (const part of [app, ...servers, cluster, folder]) await part[Symbol.asyncDispose]();
  };
  return { cluster, ports, app, [Symbol.asyncDispose]: close };
}

const median = (all: readonly number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.POSITIVE_INFINITY;

/** Waits until exactly these pods have an endpoint, a fresh one. */
async function untilFresh(app: RunningApp, ...pods: string[]): Promise<void> {
  await app.until((all) => {
    const fresh = [...all.values()].filter(({ freshness }) => freshness.state === "fresh");
    const names = fresh.map(({ metadata }) => String(metadata.podName)).sort();
    return all.size === fresh.length && names.join() === pods.join();
  });
}

it("muster run follows an InferencePool: servers come, turn unready and go", slow, async () => {
  await using world = await setUp();
  const { cluster, ports, app } = world;
  const [port0 = 0, port1 = 0, port2 = 0] = ports;
  const waits = async () => (await readyz(app))[1].reasons.join().includes("KUBE_NOT_FOUND");
  await vi.waitUntil(waits, { timeout: 8000, interval: 30 });
  await cluster.installPools();
  await cluster.createPool("llama", ports);
  await cluster.createPod("a", port0);
  await cluster.createPod("b", port1);
  await untilFresh(app, "a", "b");
  const followed = ["inferencepools.inference.networking.k8s.io", "pods"].map((plural) => ({
    ...{ what: `${plural} in default`, syncAge: expect.any(Number), revision: expect.any(String) },
    ...{ restarts: expect.any(Number), errors: expect.any(Number) },
  }));
  const running = { state: "running", follows: expect.arrayContaining(followed) };
  expect(await readyz(app)).toMatchObject([200, { discoveries: [running] }]);

  const took: Record<string, number[]> = {};
  const follows = async (what: string, change: Promise<void>, ...pods: string[]): Promise<void> => {
    const begun = performance.now();
    await change;
    await untilFresh(app, ...pods);
    took[what] = [...(took[what] ?? []), performance.now() - begun];
  };
  for (let round = 0; round < 5; round += 1) {
    await follows("comes", cluster.createPod("c", port2), "a", "b", "c");
    await follows("turns unready", cluster.setReady("b", false), "a", "c");
    await follows("turns ready", cluster.setReady("b", true), "a", "b", "c");
    await follows("goes", cluster.deletePod("c"), "a", "b");
  }
  const medians = Object.entries(took).map(([what, all]) => [what, Math.round(median(all))]);
  console.log("ms until the API shows what a pod does, medians:", Object.fromEntries(medians));
});

it("muster run keeps its endpoints, degraded, while the API server is away", slow, async () => {
  await using world = await setUp();
  const { cluster, ports, app } = world;
  const [port0 = 0, port1 = 0] = ports;
  await cluster.installPools();
  await cluster.createPool("llama", ports);
  await cluster.createPod("a", port0);
  await untilFresh(app, "a");
  await cluster.stop();
  await app.until((all) => all.get("default/a-rank-0")?.freshness.degraded === true);
  expect(await readyz(app)).toMatchObject([
    200,
    { discoveries: [{ state: "degraded", error: { code: "KUBE_UNAVAILABLE" } }] },
  ]);
  expect((await app.endpoints()).get("default/a-rank-0")?.freshness.state).toBe("fresh");
  await cluster.start();
  await app.until((all) => all.get("default/a-rank-0")?.freshness.degraded === false);
  await cluster.createPod("b", port1);
  await untilFresh(app, "a", "b");
});
