import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "./objects.ts";
import { openWorld, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await openWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const service = (port?: string | number) => ({
  service: { name: "vllm", namespace: world.namespace, port },
});

const of = (pod: string, address: string, more: object = {}): object => ({
  addresses: [address],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: "Pod", name: pod, uid: `uid-of-${pod}` },
  ...more,
});

describe("a Service's slices become endpoints", () => {
  it("of pods that are ready, serve and do not end", async () => {
    const conditions = [
      { ready: false, serving: false, terminating: false },
      { ready: false, serving: true, terminating: true },
      { ready: true, serving: false, terminating: false },
      { ready: true, serving: true, terminating: true },
      {},
    ];
    await world.objects.slice("s", {
      endpoints: conditions.map((each, index) =>
        of(`p${index}`, `10.0.0.${index}`, { conditions: each }),
      ),
    });
    await world.objects.slice("other", { service: "other", endpoints: [of("x", "10.0.1.1")] });
    const following = world.follow(service());
    await following.isReady();
    // nothing said means that it is ready
    expect(following.addresses).toEqual({ "p4-rank-0": "10.0.0.4:8000" });
  });

  it("by name of the port, also when it appears later, or by number", async () => {
    const { objects } = world;
    const endpoints = [of("a", "10.0.0.1")];
    const ports = [
      { name: "grpc", port: 9000, protocol: "TCP" },
      { name: "dns", port: 8001, protocol: "UDP" },
    ];
    await objects.slice("s", { ports, endpoints });
    const named = world.follow(service("http"));
    const numbered = world.follow(service(8001));
    await named.isReady();
    await numbered.isReady();
    expect({ ...named.addresses, ...numbered.addresses }).toEqual({});
    await objects.reslice("s", {
      ports: [...ports, { name: "http", port: 8001, protocol: "TCP" }],
      endpoints,
    });
    await named.has({ "a-rank-0": "10.0.0.1:8001" });
    await numbered.has({ "a-rank-0": "10.0.0.1:8001" });
  });

  it("by a number alone where a headless Service has no port", async () => {
    await world.objects.slice("s", { ports: [], endpoints: [of("a", "10.0.0.1")] });
    await world.follow(service(8000)).has({ "a-rank-0": "10.0.0.1:8000" });
  });

  it("without a pod too, told apart by where they are", async () => {
    const { objects } = world;
    const bare = { targetRef: undefined };
    await objects.slice("four", {
      endpoints: [of("", "10.0.0.1", bare), of("", "10.0.0.2", bare)],
    });
    await objects.slice("six", { addressType: "IPv6", endpoints: [of("", "fd00::1", bare)] });
    await objects.slice("name", {
      addressType: "FQDN",
      endpoints: [of("", "gpu.example.com", bare)],
    });
    const following = world.follow(service("http"));
    await following.has({
      "vllm-10.0.0.1-8000-rank-0": "10.0.0.1:8000",
      "vllm-10.0.0.2-8000-rank-0": "10.0.0.2:8000",
      "vllm-fd00::1-8000-rank-0": "fd00::1:8000",
      "vllm-gpu.example.com-8000-rank-0": "gpu.example.com:8000",
    });
    await objects.remove(resources.slices, "four");
    await following.has({
      "vllm-fd00::1-8000-rank-0": "fd00::1:8000",
      "vllm-gpu.example.com-8000-rank-0": "gpu.example.com:8000",
    });
  });

  it("once, however many slices have the pod, until the last lets it go", async () => {
    const { objects } = world;
    const twice = { endpoints: [of("a", "10.0.0.1"), of("a", "10.0.0.1")] };
    await objects.slice("s1", twice);
    await objects.slice("s2", twice);
    const following = world.follow(service());
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    await objects.reslice("s1", { endpoints: [] });
    await objects.slice("s3", { endpoints: [of("b", "10.0.0.2")] });
    await following.has({ "a-rank-0": "10.0.0.1:8000", "b-rank-0": "10.0.0.2:8000" });
    await objects.remove(resources.slices, "s2");
    await following.has({ "b-rank-0": "10.0.0.2:8000" });
    const id = `${world.namespace}/a-rank-0`;
    expect(following.log.filter((line) => line.endsWith(id))).toEqual([`+ ${id}`, `- ${id}`]);
  });

  it("with one address of a dual-stack pod, and the other when that one leaves", async () => {
    const { objects } = world;
    await objects.slice("four", { endpoints: [of("a", "10.0.0.1")] });
    await objects.slice("six", { addressType: "IPv6", endpoints: [of("a", "fd00::1")] });
    const four = world.follow(service());
    const six = world.follow({ ...service(), addressFamily: "IPv6" });
    await four.has({ "a-rank-0": "10.0.0.1:8000" });
    await six.has({ "a-rank-0": "fd00::1:8000" });
    await objects.remove(resources.slices, "four");
    await four.has({ "a-rank-0": "fd00::1:8000" });
  });

  it("anew when another pod has taken the name", async () => {
    const { objects, namespace } = world;
    await objects.slice("s", { endpoints: [of("a", "10.0.0.1")] });
    const following = world.follow(service());
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    const targetRef = { kind: "Pod", name: "a", uid: "another" };
    await objects.reslice("s", { endpoints: [of("a", "10.0.0.2", { targetRef })] });
    await following.has({ "a-rank-0": "10.0.0.2:8000" });
    const id = `${namespace}/a-rank-0`;
    expect(following.log).toEqual([`+ ${id}`, `- ${id}`, `+ ${id}`]);
  });
});
