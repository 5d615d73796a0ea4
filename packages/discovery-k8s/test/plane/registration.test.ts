import { type Discovery, hashPodName } from "@muster/core/plane";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeApi, KubeIdentity, KubeRequest } from "../../src/index.ts";
import { endpoint, endpointsData, model } from "./records.ts";
import { type FakePlaneWorld, openFakePlaneWorld } from "./world.ts";

let world: FakePlaneWorld;
let identity: KubeIdentity;

beforeEach(async () => {
  world = await openFakePlaneWorld();
  identity = await world.cluster.readyPod("worker-0");
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

/** Names of what is registered according to the API server. */
async function stored(name = "worker-0"): Promise<string[] | undefined> {
  const found = await world.cluster.worker(name);
  const { data } = (found?.spec ?? {}) as { data?: Record<string, object> };
  return data && Object.values(data).flatMap((map) => Object.keys(map ?? {}));
}

/** The verbs of requests about workers' objects. */
function verbs(): string[] {
  const about = world.server.requests.filter(({ resource }) => /^dynamoworker/.test(resource));
  return about.map(({ verb }) => verb);
}

/** An API that does something just before some requests. */
function meddled(before: (request: KubeRequest) => Promise<void> | undefined): KubeApi {
  const { api } = world.cluster;
  return {
    namespace: api.namespace,
    stream: (request) => api.stream(request),
    close: () => undefined,
    async request<T>(request: KubeRequest): Promise<T> {
      await before(request);
      return await api.request<T>(request);
    },
  };
}

describe("registering on Kubernetes", () => {
  it("asks for nothing before it is used, and nothing to close", async () => {
    const before = world.server.requests.length;
    await world.plane({ identity }).close();
    expect(world.server.requests).toHaveLength(before);
  });

  it("writes one object that belongs to the pod", async () => {
    const plane = world.plane({ identity });
    await plane.register(endpoint());
    expect(plane.instanceId).toBe(hashPodName("worker-0"));
    const found = await world.cluster.worker("worker-0");
    const { data } = (found?.spec ?? {}) as { data?: object };
    expect(found?.metadata).toMatchObject({
      ownerReferences: [{ kind: "Pod", name: "worker-0", uid: identity.podUid, controller: true }],
      managedFields: [{ manager: "dynamo-worker", operation: "Apply" }],
    });
    expect(found?.metadata).not.toHaveProperty("labels");
    expect(Object.keys(data ?? {})).toEqual([
      ...["endpoints", "model_cards", "event_channels", "event_sources"],
    ]);
    await world.cluster.deletePod("worker-0");
    expect(await world.cluster.worker("worker-0")).toBeUndefined();
  });

  it("never deletes the object, whatever is taken away", async () => {
    const plane = world.plane({ identity });
    const instance = await plane.register(endpoint());
    const before = await world.cluster.worker("worker-0");
    await plane.unregister(instance);
    expect(await stored()).toEqual([]);
    await plane.register(endpoint());
    await plane.close();
    expect(await stored()).toEqual([]);
    expect((await world.cluster.worker("worker-0"))?.metadata.uid).toBe(before?.metadata.uid);
    expect(verbs()).not.toContain("delete");
  });

  it("writes nothing when nothing is there to be taken away", async () => {
    const plane = world.plane({ identity });
    const other = await world.worker("worker-1");
    const theirs = await other.register(endpoint());
    await plane.unregister(theirs);
    expect(await stored()).toBeUndefined();
    expect(await stored("worker-1")).toHaveLength(1);
  });

  it("writes changes one after the other, none of them lost", async () => {
    const plane = world.plane({ identity });
    const names = Array.from({ length: 20 }, (_, index) => `e${index}`);
    await Promise.all(names.map((name) => plane.register(endpoint(name))));
    expect(await stored()).toHaveLength(20);
  });

  it("forgets what could not be written", async () => {
    const plane = world.plane({ identity });
    await plane.register(endpoint("kept"));
    world.server.faults.fail({ status: 500, verb: "patch" });
    await expect(plane.register(endpoint("failed"))).rejects.toThrow(
      expect.objectContaining({ code: "KUBE_UNAVAILABLE" }),
    );
    world.server.faults.fail({ status: 500, verb: "patch" });
    const [kept] = await plane.list({ type: "AllEndpoints" });
    await expect(plane.unregister(kept as NonNullable<typeof kept>)).rejects.toThrow();
    await plane.register(endpoint("later"));
    expect((await stored())?.map((key) => key.split("/")[2])).toEqual(["kept", "later"]);
  });

  it("corrects what the server took though the answer was lost", async () => {
    const lost = meddled((request) =>
      request.method === "PATCH" && String(request.body).includes('"lost"')
        ? world.cluster.api.request({ ...request }).then(() => Promise.reject(new Error("cut")))
        : undefined,
    );
    const plane = world.plane({ api: lost, identity });
    await expect(plane.register(endpoint("lost"))).rejects.toThrow("cut");
    expect(await stored()).toHaveLength(1);
    await plane.close();
    expect(await stored()).toEqual([]);
  });

  it("lets a caller go that leaves while others write", async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const api = meddled(({ method }) => (method === "PATCH" ? gate : undefined));
    const plane = world.plane({ api, identity });
    const first = plane.register(endpoint("first"));
    const controller = new AbortController();
    const second = plane.register(endpoint("second"), { signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toThrow(expect.objectContaining({ code: "PLANE_ABORTED" }));
    go();
    await first;
    await plane.register(endpoint("third"));
    expect((await stored())?.map((key) => key.split("/")[2])).toEqual(["first", "third"]);
  });

  it("closes though nothing can be taken away", async () => {
    const plane = world.plane({ identity });
    await plane.register(endpoint());
    world.server.faults.fail({ status: 403, reason: "Forbidden", verb: "patch", times: 9 });
    await plane.close();
    expect(await stored()).toHaveLength(1);
  });

  it("only looks without an identity", async () => {
    const plane = world.plane();
    expect(plane.instanceId).toBe(0n);
    const refused = expect.objectContaining({ code: "KUBE_CONFIG", path: "identity" });
    await expect(plane.register(endpoint())).rejects.toThrow(refused);
    expect(await plane.list({ type: "AllEndpoints" })).toEqual([]);
  });

  it("sees a model of its own that does not fit before it is ready", async () => {
    await world.cluster.deleteSlice("worker-0");
    const plane = world.plane({ identity });
    await plane.register(model({ display_name: "m" }));
    const card = { display_name: "a", source_path: "n", lora: { name: "a" } };
    await expect(plane.register(model(card, "a"))).rejects.toThrow(
      expect.objectContaining({ code: "PLANE_CONFLICT" }),
    );
    expect(await stored()).toHaveLength(1);
  });
});

describe("the object of an earlier life", () => {
  const stale = { name: "stale" };

  it("is deleted before the first write, on the condition that it is that one", async () => {
    await world.cluster.putWorker(identity, endpointsData("worker-0", stale));
    const old = await world.cluster.worker("worker-0");
    const before = verbs().length;
    await world.plane({ identity }).register(endpoint("new"));
    expect(verbs().slice(before)).toEqual(["get", "delete", "get", "patch"]);
    expect((await stored())?.map((key) => key.split("/")[2])).toEqual(["new"]);
    expect((await world.cluster.worker("worker-0"))?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  it("stays when it belongs to another pod, and nothing is written", async () => {
    const other = await world.cluster.pod("worker-1");
    await world.cluster.putWorker(other, { data: {} }, { name: "worker-0" });
    await expect(register()).rejects.toThrow(expect.objectContaining({ code: "KUBE_CONFLICT" }));
    expect(verbs()).not.toContain("delete");
    await world.cluster.deletePod("worker-1");
    await register();
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ["this pod and another", async () => [identity, await world.cluster.pod("worker-1")]],
    ["another pod of this name", async () => [{ ...identity, podUid: "another" }]],
    ["nobody", async () => []],
  ])("stays when it belongs to %s", async (_, owners) => {
    const finalizers = ["test.muster.dev/stay"];
    const options = { owners: await owners(), finalizers };
    await world.cluster.putWorker(identity, { data: {} }, options);
    await expect(register()).rejects.toThrow(expect.objectContaining({ code: "KUBE_CONFLICT" }));
    expect(verbs()).not.toContain("delete");
  });

  it("may be gone when it is to be deleted", async () => {
    await world.cluster.putWorker(identity, { data: {} });
    const api = meddled(({ method }) =>
      method === "DELETE" ? world.cluster.deleteWorker("worker-0") : undefined,
    );
    await register({ api });
    expect(await stored()).toHaveLength(1);
  });

  it("stays when somebody writes it meanwhile", async () => {
    await world.cluster.putWorker(identity, { data: {} });
    const api = meddled(({ method }) =>
      method === "DELETE"
        ? world.cluster.putWorker(identity, endpointsData("worker-0", stale))
        : undefined,
    );
    await expect(register({ api })).rejects.toThrow(
      expect.objectContaining({ code: "KUBE_CONFLICT" }),
    );
    expect(await stored()).toEqual(["dynamo/backend/stale"]);
  });

  it("must be gone after it was deleted", async () => {
    await world.cluster.putWorker(identity, { data: {} });
    let gets = 0;
    const api = meddled(({ method }) => {
      if (method === undefined) gets += 1;
      return gets === 2 ? world.cluster.putWorker(identity, { data: {} }) : undefined;
    });
    await expect(register({ api })).rejects.toThrow("is still there after it was deleted");
  });

  async function register(options: { api?: KubeApi } = {}): Promise<void> {
    const plane: Discovery = world.plane({ identity, ...options });
    await plane.register(endpoint());
  }
});
