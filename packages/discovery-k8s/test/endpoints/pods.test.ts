import process from "node:process";
import { createRecordingMeter } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PodInit, resources } from "./objects.ts";
import { openWorld, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await openWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const selector = (more: object = {}) => ({
  selector: { matchLabels: { app: "vllm" }, ports: [8000], namespace: world.namespace, ...more },
});

describe("pods become endpoints", () => {
  it.each<[string, PodInit]>([
    ["pending", { phase: "Pending" }],
    ["ended", { phase: "Succeeded" }],
    ["not ready", { ready: false }],
    ["without an address", { addresses: [] }],
    ["of another app", { labels: { app: "other" } }],
    ["without active ports", { annotations: { "llm-d.ai/active-ports": "" } }],
  ])("but not one that is %s", async (_what, init) => {
    await world.objects.pod("no", init);
    await world.objects.pod("yes", { addresses: ["10.0.0.2"] });
    const following = world.follow(selector());
    await following.isReady();
    expect(following.addresses).toEqual({ "yes-rank-0": "10.0.0.2:8000" });
    expect(following.conditions).toEqual([]);
  });

  it("with their labels, node and rank", async () => {
    await world.objects.pod("a", { labels: { app: "vllm", role: "decode" } });
    const following = world.follow(selector({ ports: [8000, 8001] }));
    await following.isReady();
    expect([...following.found.values()]).toMatchObject([
      { podName: "a", port: "8000", rankIndex: 0, nodeAddress: "192.168.0.1" },
      { podName: "a", port: "8001", rankIndex: 1, labels: { app: "vllm", role: "decode" } },
    ]);
  });

  it("as long as readiness, phase and labels say so, again at each change", async () => {
    const { objects } = world;
    await objects.pod("a", { ready: false });
    const following = world.follow(selector());
    await following.isReady();
    const there = { "a-rank-0": "10.0.0.1:8000" };
    for (const change of [{ ready: false }, { phase: "Failed" }, { addresses: [] }]) {
      await objects.status("a");
      await following.has(there);
      await objects.status("a", change);
      await following.has({});
    }
    await objects.status("a");
    await following.has(there);
    await objects.patch(resources.pods, "a", { metadata: { labels: { app: "other" } } });
    await following.has({});
    await objects.patch(resources.pods, "a", { metadata: { labels: { app: "vllm" } } });
    await following.has(there);
  });

  it("until they are being deleted, ready or not", async () => {
    await world.objects.pod("a", { finalizers: ["muster.dev/test"] });
    const following = world.follow(selector());
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    await world.objects.remove(resources.pods, "a");
    await following.has({});
    await world.objects.patch(resources.pods, "a", { metadata: { finalizers: null } });
  });

  it("anew when another pod has taken the name", async () => {
    const { objects, namespace } = world;
    await objects.pod("a");
    const following = world.follow(selector());
    await following.isReady();
    await objects.remove(resources.pods, "a");
    await objects.pod("a", { addresses: ["10.0.0.9"] });
    await following.has({ "a-rank-0": "10.0.0.9:8000" });
    const id = `${namespace}/a-rank-0`;
    expect(following.log).toEqual([`+ ${id}`, `- ${id}`, `+ ${id}`]);
  });

  it("with the ports that an annotation leaves them, llm-d's before the other", async () => {
    const { objects } = world;
    const annotations = { "inference.networking.k8s.io/active-ports": "8001, 9999" };
    await objects.pod("a", { annotations });
    const following = world.follow(selector({ ports: [8000, 8001] }));
    await following.has({ "a-rank-1": "10.0.0.1:8001" });
    const both = { ...annotations, "llm-d.ai/active-ports": "8000" };
    await objects.patch(resources.pods, "a", { metadata: { annotations: both } });
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    await objects.patch(resources.pods, "a", { metadata: { annotations: null } });
    await following.has({ "a-rank-0": "10.0.0.1:8000", "a-rank-1": "10.0.0.1:8001" });
  });

  it("with the address of the family that is preferred, or the one they have", async () => {
    await world.objects.pod("both", { addresses: ["10.0.0.1", "fd00::1"] });
    await world.objects.pod("four", { addresses: ["10.0.0.2"] });
    const six = world.follow({ ...selector(), addressFamily: "IPv6" });
    await six.has({ "both-rank-0": "fd00::1:8000", "four-rank-0": "10.0.0.2:8000" });
    const first = world.follow(selector());
    await first.has({ "both-rank-0": "10.0.0.1:8000", "four-rank-0": "10.0.0.2:8000" });
  });

  it("with metrics where an annotation or the configuration says", async () => {
    await world.objects.pod("a", { annotations: { "prometheus.io/port": "9100" } });
    await world.objects.pod("b", { addresses: ["fd00::2"] });
    const metrics = { port: 9000, path: "/m", portAnnotation: "prometheus.io/port" };
    const following = world.follow({ ...selector(), metrics });
    await following.isReady();
    const hosts = [...following.found.values()].map(({ metricsHost, metrics: { path } }) => [
      metricsHost,
      path,
    ]);
    expect(hosts.sort()).toEqual([
      ["10.0.0.1:9100", "/m"],
      ["[fd00::2]:9000", "/m"],
    ]);
  });

  it("from several namespaces, each with its own, and is ready when all were listed", async () => {
    const other = await world.another();
    await world.objects.pod("a");
    await other.pod("a", { addresses: ["10.0.0.2"] });
    const namespaces = [world.namespace, other.namespace];
    const following = world.follow(selector({ namespace: undefined, namespaces }));
    await following.isReady();
    expect([...following.found.keys()].sort()).toEqual(
      namespaces.map((namespace) => `${namespace}/a-rank-0`).sort(),
    );
    await other.remove(resources.pods, "a");
    await expect.poll(() => [...following.found.keys()]).toEqual([`${world.namespace}/a-rank-0`]);
  });

  it("of which those that hold something unusable are counted while it is so", async () => {
    const metrics = createRecordingMeter();
    const invalid = (): number | undefined => metrics.value("muster_discovery_k8s_invalid_objects");
    await world.objects.pod("a", { annotations: { "metrics-port": "http" } });
    const config = { ...selector(), metrics: { portAnnotation: "metrics-port" } };
    const following = world.follow(config, { context: { metrics } });
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    expect(invalid()).toBe(1);
    await world.objects.patch(resources.pods, "a", {
      metadata: { annotations: { "metrics-port": "9100" } },
    });
    await expect.poll(invalid).toBe(0);
    await following.stop();
    expect(invalid()).toBeUndefined();
  });

  it("from many namespaces, without Node taking that for a leak", async () => {
    const warnings: string[] = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", warn);
    const others = await Promise.all(Array.from({ length: 11 }, () => world.another()));
    for (const each of others) await each.pod("a");
    const namespaces = [world.namespace, ...others.map(({ namespace }) => namespace)];
    const following = world.follow(selector({ namespace: undefined, namespaces }));
    await following.isReady();
    expect(following.found.size).toBe(11);
    await following.stop();
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });
});
