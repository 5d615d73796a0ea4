import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import kubernetesDiscovery, {
  createKubeApi,
  kubernetesNotificationSource,
  loadCluster,
} from "@muster/discovery-k8s";
import coreMetrics from "@muster/extractors-metrics";
import {
  createPluginRegistry,
  createRuntime,
  endpointNotificationSource,
  type Fleet,
  loadConfig,
} from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { createRecordingMeter, type RecordingMeter } from "@muster/testkit";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import costExtractor, { cost } from "../src/index.ts";
import { Pods } from "./pods.ts";

const annotation = "acme.dev/cost-per-hour";
let server: KubernetesServer;
let meter: RecordingMeter;
let folder: string;
let pods: Pods;
let fleet: Fleet | undefined;
let close: () => void;

beforeEach(async () => {
  server = createKubernetesServer();
  meter = createRecordingMeter();
  await server.start();
  folder = mkdtempSync(join(tmpdir(), "muster-pods-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfig());
  // where every tool of Kubernetes looks
  vi.stubEnv("KUBECONFIG", kubeconfig);
  const api = createKubeApi(await loadCluster());
  pods = new Pods(api);
  close = () => api.close();
});

afterEach(async () => {
  await fleet?.stop();
  close();
  await server.stop();
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

/** Starts what a configuration says, as the app does. */
async function start(path: string): Promise<void> {
  const registry = createPluginRegistry([
    ...[kubernetesDiscovery, kubernetesNotificationSource, costExtractor],
    ...[endpointNotificationSource, prometheus, coreMetrics],
  ]);
  const { runtime } = await loadConfig({ file: path, registry, metrics: meter });
  fleet = createRuntime({ ...runtime, metrics: meter });
  await fleet.start();
}

const whole = fileURLToPath(new URL("../muster.yaml", import.meta.url));

/** What each endpoint costs. */
const costs = (): Record<string, number | undefined> =>
  Object.fromEntries(
    (fleet?.endpoints.list() ?? []).map(({ id, attributes }) => [
      id.replace("default/", ""),
      attributes.get(cost)?.perHour,
    ]),
  );

async function shows(expected: Record<string, number | undefined>): Promise<void> {
  await expect.poll(costs, { timeout: 10_000, interval: 5 }).toEqual(expected);
}

it("reaches every endpoint of a pod, whichever comes first", async () => {
  await pods.create("early", { [annotation]: "2.5" });
  await start(whole);
  await shows({ "early-rank-0": 2.5, "early-rank-1": 2.5 });
  // known long before it has endpoints
  await pods.create("late", { [annotation]: "4" }, false);
  await pods.create("seen", { [annotation]: "1" });
  await shows({ ...costOf("early", 2.5), ...costOf("seen", 1) });
  await pods.setReady("late", true);
  await shows({ ...costOf("early", 2.5), ...costOf("seen", 1), ...costOf("late", 4) });
});

it("follows the annotation and goes with it, and with the pod", async () => {
  await start(whole);
  await pods.create("a");
  await shows(costOf("a", undefined));
  await pods.annotate("a", { [annotation]: "3" });
  await shows(costOf("a", 3));
  await pods.annotate("a", { [annotation]: "4" });
  await shows(costOf("a", 4));
  await pods.annotate("a", { [annotation]: "a fortune" });
  await shows(costOf("a", undefined));
  const failures = (): number | undefined =>
    meter.value("muster_datalayer_extract_errors_total", {
      source_type: "k8s-notification-source",
      extractor_type: "acme-cost-extractor",
    });
  expect(failures()).toBe(1);
  await pods.annotate("a", { [annotation]: "5" });
  await shows(costOf("a", 5));
  await pods.annotate("a", { [annotation]: null });
  await shows(costOf("a", undefined));
  await pods.delete("a");
  await shows({});
  await pods.create("a");
  await shows(costOf("a", undefined));
});

it("is enough to name the plugin: it brings its sources, and these their watcher", async () => {
  await pods.create("a", { [annotation]: "2" });
  const short = join(folder, "short.yaml");
  const selector = "{ matchLabels: { app: vllm }, ports: [8000] }";
  const plugins = [
    `{ type: k8s-discovery, parameters: { selector: ${selector} } }`,
    "{ type: acme-cost-extractor }",
  ];
  const head = "apiVersion: muster/v1\nkind: MusterConfig\n";
  const discovery = "discovery: { pluginRef: k8s-discovery }";
  writeFileSync(short, `${head}plugins: [${plugins.join()}]\n${discovery}\n`);
  await start(short);
  await shows({ "a-rank-0": 2 });
  expect(fleet?.wiring.objectWatcher?.typedName.type).toBe("k8s-object-watcher");
  expect(fleet?.status().watches).toMatchObject([
    {
      source: "k8s-notification-source/k8s-notification-source",
      ...{ kind: "v1, Kind=Pod", state: "running" },
    },
  ]);
});

it("leaves nothing open when the fleet stops", async () => {
  await start(whole);
  await expect.poll(() => server.openWatches, { timeout: 10_000 }).toBe(2);
  await fleet?.stop();
  await expect.poll(() => server.openWatches).toBe(0);
});

function costOf(pod: string, price: number | undefined): Record<string, number | undefined> {
  return { [`${pod}-rank-0`]: price, [`${pod}-rank-1`]: price };
}
