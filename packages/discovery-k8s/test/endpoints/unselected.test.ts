import { expect, it } from "vitest";
import { ScriptServer } from "../api/script-server.ts";
import { Following } from "./following.ts";

interface Listed {
  readonly metadata: object;
  readonly [key: string]: unknown;
}

/** A server that lists everything it has of a resource, whatever was asked, and then says these events. */
function open(listed: Record<string, Listed[]>, events: object[] = []): Promise<ScriptServer> {
  return ScriptServer.open(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://server");
    if (searchParams.has("watch"))
      for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    else {
      const items = listed[pathname.split("/").at(-1) ?? ""] ?? [];
      response.end(JSON.stringify({ kind: "List", metadata: { resourceVersion: "9" }, items }));
    }
  });
}

const pod = (name: string, labels: object, namespace = "ns", resourceVersion = "1") => ({
  metadata: { name, namespace, uid: name, resourceVersion, labels },
  status: {
    phase: "Running",
    podIP: "10.0.0.1",
    conditions: [{ type: "Ready", status: "True" }],
  },
});
const slice = (name: string, service: string, address: string) => ({
  metadata: {
    ...{ name, namespace: "ns", uid: name, resourceVersion: "1" },
    labels: { "kubernetes.io/service-name": service },
  },
  addressType: "IPv4",
  ports: [{ name: "", port: 8000 }],
  endpoints: [{ addresses: [address] }],
});
const pool = (name: string, app: string) => ({
  metadata: { name, namespace: "ns", uid: name, resourceVersion: "1" },
  spec: { selector: { matchLabels: { app } }, targetPorts: [{ number: 8000 }] },
});

const vllm = { app: "vllm" };

it("takes of a server that ignores selectors only the pods that were asked for", async () => {
  await using server = await open({
    pods: [pod("a", vllm), pod("b", { app: "other" }), pod("c", vllm, "elsewhere"), pod("d", {})],
  });
  const following = new Following({
    config: { selector: { matchLabels: vllm, ports: [8000], namespace: "ns" } },
    cluster: { server: server.url },
  });
  await following.isReady();
  expect([...following.found.keys()]).toEqual(["ns/a-rank-0"]);
  await following.stop();
});

it("lets a pod go whose labels no longer match, though it is called modified and not deleted", async () => {
  await using server = await open({ pods: [pod("a", vllm), pod("b", vllm)] }, [
    { type: "MODIFIED", object: pod("a", { app: "vllm-old" }, "ns", "2") },
  ]);
  const following = new Following({
    config: { selector: { matchLabels: vllm, ports: [8000], namespace: "ns" } },
    cluster: { server: server.url },
  });
  await following.has({ "b-rank-0": "10.0.0.1:8000" });
  expect(following.log).toEqual(["+ ns/a-rank-0", "+ ns/b-rank-0", "- ns/a-rank-0"]);
  await following.stop();
});

it("takes only the slices of the Service that was asked for", async () => {
  await using server = await open({
    endpointslices: [slice("a", "llama", "10.0.0.1"), slice("b", "llama-2", "10.0.0.2")],
  });
  const following = new Following({
    config: { service: { name: "llama", namespace: "ns" } },
    cluster: { server: server.url },
  });
  await following.isReady();
  expect(following.addresses).toEqual({ "llama-10.0.0.1-8000-rank-0": "10.0.0.1:8000" });
  await following.stop();
});

it("takes only the InferencePool that was asked for", async () => {
  await using server = await open({
    inferencepools: [pool("llama", "vllm"), pool("other", "other")],
    pods: [pod("a", vllm), pod("b", { app: "other" })],
  });
  const following = new Following({
    config: { inferencePool: { name: "llama", namespace: "ns" } },
    cluster: { server: server.url },
  });
  await following.isReady();
  expect([...following.found.keys()]).toEqual(["ns/a-rank-0"]);
  await following.stop();
});
