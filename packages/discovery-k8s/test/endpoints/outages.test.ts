import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import kubernetesDiscovery from "../../src/index.ts";
import { installPools, resources, uninstallPools } from "./objects.ts";
import { type FakeWorld, openFakeWorld } from "./world.ts";

let world: FakeWorld;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-k8s-"));
  world = await openFakeWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const app = { app: "vllm" };
const selector = () => ({
  selector: { matchLabels: app, ports: [8000], namespace: world.namespace },
});
const pool = () => ({ inferencePool: { name: "llama", namespace: world.namespace } });
const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };

/** Lets the service account `muster` of the world list and watch a resource. */
async function grantReading(plural: string, group: string): Promise<void> {
  const { objects, namespace } = world;
  await objects.create(
    { ...rbac, plural: "roles" },
    {
      kind: "Role",
      metadata: { name: plural },
      rules: [{ apiGroups: [group], resources: [plural], verbs: ["list", "watch"] }],
    },
  );
  await objects.create(
    { ...rbac, plural: "rolebindings" },
    {
      kind: "RoleBinding",
      metadata: { name: plural },
      roleRef: { apiGroup: rbac.group, kind: "Role", name: plural },
      subjects: [{ kind: "ServiceAccount", name: "muster", namespace }],
    },
  );
}

const a = { "a-rank-0": "10.0.0.1:8000" };

describe("what is missing is waited for, and what is known is kept", () => {
  it("when the server is down at the start, and later", async () => {
    await world.objects.pod("a");
    await world.server.stop();
    const following = world.follow(selector());
    await following.says("KUBE_UNAVAILABLE");
    expect(following.ready).toBe(false);
    await world.server.start();
    await following.isReady();
    await following.has(a);
    await following.says(undefined);
    await world.server.stop();
    await following.says("KUBE_UNAVAILABLE");
    expect(following.addresses).toEqual(a);
    await world.server.start();
    await following.says(undefined);
    expect(following.log).toHaveLength(1);
  });

  it("when the kind is not installed, is removed, and comes back as another version", async () => {
    await world.objects.pod("a");
    const following = world.follow(pool());
    await following.says("KUBE_NOT_FOUND");
    expect(following.outage?.message).toContain("inferencepools.inference.networking.k8s.io");
    await installPools(world.api, resources.pools);
    await world.objects.pool("llama", app, [8000]);
    await following.isReady();
    await following.says(undefined);
    await uninstallPools(world.api, resources.pools);
    world.server.faults.dropWatches();
    await following.says("KUBE_NOT_FOUND");
    expect(following.addresses).toEqual(a);
    await installPools(world.api, resources.alphaPools);
    await world.objects.alphaPool("llama", app, 8001);
    await following.has({ "a-rank-0": "10.0.0.1:8001" });
    await following.says(undefined);
  });

  it("and shows what it follows, since when, and what went wrong", async () => {
    await installPools(world.api, resources.pools);
    await world.objects.pool("llama", app, [8000]);
    const metrics = createRecordingMeter();
    const following = world.follow(pool(), { context: { metrics } });
    await following.isReady();
    const followed = () => following.discovery.follows?.() ?? [];
    const place = `in ${world.namespace}`;
    const kinds = [`inferencepools.inference.networking.k8s.io ${place}`, `pods ${place}`];
    expect(followed().map(({ what }) => what)).toEqual(kinds);
    for (const { syncAge, revision, restarts, errors } of followed())
      expect({ syncAge, revision, restarts, errors }).toEqual({
        ...{ syncAge: expect.any(Number), revision: expect.stringMatching(/^\d+$/) },
        ...{ restarts: 0, errors: 0 },
      });
    await expect.poll(() => world.server.openWatches).toBe(2);
    world.server.faults.dropWatches();
    await expect
      .poll(() => followed().map(({ restarts, errors }) => [restarts, errors]))
      .toEqual([
        [1, 1],
        [1, 1],
      ]);
    const labels = { reflector: "k8s-discovery", resource: "pods", namespace: world.namespace };
    expect(metrics.value("muster_kubernetes_restarts_total", labels)).toBe(1);
    await following.stop();
    expect(followed()).toEqual([]);
  });

  it("when a right is missing, which it names, until it is given", async () => {
    const { api, namespace, server } = world;
    const token = server.addServiceAccount(namespace, "muster");
    await installPools(api, resources.pools);
    await world.objects.pool("llama", app, [8000]);
    await world.objects.pod("a");
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, token);
    const following = world.follow(pool(), { cluster: { server: server.url, tokenFile } });
    await following.says("KUBE_FORBIDDEN");
    expect(following.outage?.message).toMatch(/cannot list resource "inferencepools"/);
    await grantReading("inferencepools", resources.pools.group);
    await expect
      .poll(() => following.outage?.message, { timeout: 4000 })
      .toMatch(/cannot list resource "pods"/);
    expect(following.ready).toBe(false);
    await grantReading("pods", "");
    await following.isReady();
    expect(following.addresses).toEqual(a);
    await following.says(undefined);
    await world.objects.remove({ ...rbac, plural: "rolebindings" }, "pods");
    server.faults.dropWatches();
    await following.says("KUBE_FORBIDDEN");
    expect(following.addresses).toEqual(a);
  });

  it("when pods were replaced while a new selector could not be listed", async () => {
    const { objects, server } = world;
    await installPools(world.api, resources.pools);
    await objects.pool("llama", app, [8000]);
    await objects.pod("a", { labels: { ...app, tier: "gold" } });
    await objects.pod("b", { addresses: ["10.0.0.2"] });
    const following = world.follow(pool());
    await following.has({ ...a, "b-rank-0": "10.0.0.2:8000" });
    server.faults.fail({ verb: "list", resource: "pods", status: 500, times: 4 });
    await objects.patch(resources.pools, "llama", {
      spec: { selector: { matchLabels: { tier: "gold" } } },
    });
    await following.says("KUBE_UNAVAILABLE");
    expect(following.addresses).toEqual({ ...a, "b-rank-0": "10.0.0.2:8000" });
    await objects.remove(resources.pods, "a");
    await objects.pod("a", { labels: { ...app, tier: "gold" }, addresses: ["10.0.0.3"] });
    await following.has({ "a-rank-0": "10.0.0.3:8000" });
    await following.says(undefined);
    // the endpoint itself is another one, as the pod is
    const id = `${world.namespace}/a-rank-0`;
    expect(following.log.filter((line) => line.endsWith(id))).toEqual([
      `+ ${id}`,
      `- ${id}`,
      `+ ${id}`,
    ]);
  });

  it("and starts anew after it ended, with a new ready", async () => {
    await world.objects.pod("a");
    const following = world.follow(selector());
    await following.isReady();
    await following.stop();
    const ready = following.discovery.ready();
    expect(await Promise.race([ready, Promise.resolve("pending")])).toBe("pending");
    const ending = new AbortController();
    const said: string[] = [];
    const again = following.discovery.start(
      {
        upsert: ({ address }) => said.push(address),
        delete: () => said.push("deleted"),
        degraded: ({ code }) => said.push(code),
        recovered: () => said.push("recovered"),
      },
      { signal: ending.signal },
    );
    await ready;
    expect(said).toEqual(["10.0.0.1"]);
    await expect(
      following.discovery.start(
        { upsert() {}, delete() {}, degraded() {}, recovered() {} },
        { signal: ending.signal },
      ),
    ).rejects.toMatchObject({ code: "DISCOVERY_FAILED" });
    ending.abort();
    await again;
    await expect.poll(() => world.server.openWatches).toBe(0);
  });
});

// the client library, which reads kubeconfigs, takes its time to load
it("fails to start when its configuration leads nowhere", { timeout: 30_000 }, async () => {
  const kubeconfig = join(folder, "nowhere");
  const discovery = kubernetesDiscovery.create({ ...selector(), cluster: { kubeconfig } });
  const ignored = { upsert() {}, delete() {}, degraded() {}, recovered() {} };
  const { signal } = new AbortController();
  await expect(discovery.start(ignored, { signal })).rejects.toMatchObject({
    code: "KUBE_CONFIG",
    message: expect.stringContaining("nowhere"),
  });
});

it("says what was given where one of three was asked for", () => {
  const { configSchema } = kubernetesDiscovery;
  const problems = (config: object) => {
    const checked = configSchema["~standard"].validate(config);
    return checked instanceof Promise ? [] : checked.issues?.map(({ message }) => message);
  };
  const wanted = "give exactly one of `inferencePool`, `selector` and `service`";
  expect(problems({})).toEqual([`${wanted}, not none`]);
  expect(problems({ ...pool(), service: { name: "s" } })).toEqual([
    `${wanted}, not \`inferencePool\` and \`service\``,
  ]);
});

it("tells of what it leaves out once, and counts it", async () => {
  const logger = createRecordingLogger();
  await world.objects.pod("a", { annotations: { "llm-d.ai/active-ports": "8000,http" } });
  const following = world.follow(selector(), { context: { logger } });
  await following.has(a);
  for (const role of ["x", "y"]) {
    await world.objects.patch(resources.pods, "a", { metadata: { labels: { role } } });
    await expect
      .poll(() => following.found.get(`${world.namespace}/a-rank-0`)?.labels.role)
      .toBe(role);
  }
  const told = logger.lines.filter(({ level }) => level === "warn");
  expect(told).toMatchObject([{ fields: { code: "DISCOVERY_ENTRY" } }]);
});
