import type { MusterError } from "@muster/core";
import type { Discovery } from "@muster/core/plane";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { KubeIdentity } from "../../src/index.ts";
import { workers } from "./cluster.ts";
import { Log } from "./log.ts";
import { endpoint, endpointKey, endpointsData, model } from "./records.ts";
import { type FakePlaneWorld, openFakePlaneWorld } from "./world.ts";

const all = { type: "AllEndpoints" } as const;
const added = `Added ${endpointKey("worker-0")}`;
const removed = `Removed ${endpointKey("worker-0")}`;

let world: FakePlaneWorld;
let identity: KubeIdentity;
let worker: Discovery;

beforeEach(async () => {
  world = await openFakePlaneWorld();
  identity = await world.cluster.readyPod("worker-0");
  worker = world.plane({ identity });
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function watching(plane = world.plane(), type: "AllEndpoints" | "AllModels" = all.type) {
  const log = new Log(await plane.listAndWatch({ type }));
  await log.shows(() => expect(log.said).toContain("Resync"));
  return log;
}

describe("watches on Kubernetes", () => {
  it("show a transport that changes in place", async () => {
    await worker.register(endpoint());
    const log = await watching();
    await worker.register(endpoint("generate", "10.9.9.9:1"));
    await log.says(added, "Resync", added);
    expect(log.view[0]).toContain("10.9.9.9:1");
  });

  it("tell what is removed before what is added", async () => {
    await world.cluster.putWorker(identity, endpointsData("worker-0", { name: "b" }));
    const log = await watching();
    log.clear();
    const data = endpointsData("worker-0", { name: "a" }, { name: "c" });
    await world.cluster.putWorker(identity, data);
    const key = (name: string): string => endpointKey("worker-0", name);
    await log.says(`Removed ${key("b")}`, `Added ${key("a")}`, `Added ${key("c")}`);
  });

  it("keep a model that becomes another in place, and take it when it was withdrawn between", async () => {
    const put = (kv: number): Promise<void> => {
      const card_json = { display_name: "m", kv };
      const place = { namespace: "n", component: "c", endpoint: "e", instance_id: 1 };
      const model_cards = { m: { type: "Model", ...place, card_json } };
      return world.cluster.putWorker(identity, { data: { model_cards } });
    };
    await put(1);
    const log = await watching(world.plane(), "AllModels");
    await put(2);
    await put(2);
    const other = world.plane({ identity: await world.cluster.readyPod("worker-1") });
    await other.register(model({ display_name: "m" }));
    await log.shows(() => expect(log.view).toHaveLength(2));
    expect(log.view.join()).toContain('"kv":1');
    world.server.faults.dropWatches();
    world.server.faults.fail({ status: 500, verb: "list", resource: workers.plural });
    await put(3);
    await put(4);
    await log.shows(() => expect(log.view.join()).toContain('"kv":4'));
  });

  it("resume after an outage with the differences, then Resync, and say so", async () => {
    const gone = await worker.register(endpoint("gone"));
    await worker.register(endpoint());
    const plane = world.plane();
    const problems: (MusterError | undefined)[] = [];
    const onInterruption = (problem: MusterError | undefined): void => {
      problems.push(problem);
    };
    const log = new Log(await plane.listAndWatch(all, { onInterruption }));
    await log.shows(() => expect(log.said).toHaveLength(3));
    log.clear();
    world.server.faults.fail({ status: 500, verb: "list", resource: workers.plural, times: 1e6 });
    world.server.faults.dropWatches();
    await vi.waitFor(() => expect(problems).toHaveLength(1), 4000);
    await worker.unregister(gone);
    await worker.register(endpoint("new"));
    world.server.faults.heal();
    await log.shows(() => expect(log.said.at(-1)).toBe("Resync"));
    expect(log.said).toEqual([
      `Removed ${endpointKey("worker-0", "gone")}`,
      `Added ${endpointKey("worker-0", "new")}`,
      "Resync",
    ]);
    await vi.waitFor(() => expect(problems.at(-1)).toBeUndefined(), 4000);
    expect(problems[0]?.code).toMatch(/^KUBE_/);
  });

  it.each(["event", "status"] as const)("resume when history is gone, by %s", async (how) => {
    await worker.register(endpoint());
    const log = await watching();
    world.server.faults.compact(how);
    world.server.faults.errorEvent(410, "Expired");
    await worker.register(endpoint("new"));
    await log.shows(() => expect(log.said.at(-1)).toBe("Resync"));
    await log.shows(() => expect(log.view).toHaveLength(2));
  });

  it("find a deletion that they were never told of", async () => {
    await worker.register(endpoint());
    const plane = world.plane({ timing: { retryInitial: 10, relist: 300 } });
    const log = await watching(plane);
    world.server.faults.loseDeletions(9);
    await world.cluster.deletePod("worker-0");
    await log.shows(() => expect(log.said).toContain(removed));
  });

  it("say nothing when everything is listed again in time and nothing was missed", async () => {
    await worker.register(endpoint());
    const plane = world.plane({ timing: { relist: 50, retryInitial: 10 } });
    const log = await watching(plane);
    const lists = (): number =>
      world.server.requests.filter(
        ({ verb, resource }) => verb === "list" && resource === "dynamoworkermetadatas",
      ).length;
    const before = lists();
    await vi.waitFor(() => expect(lists()).toBeGreaterThan(before + 3), 4000);
    await worker.register(endpoint("new"));
    await log.says(added, "Resync", `Added ${endpointKey("worker-0", "new")}`);
  });
});

describe("what is followed", () => {
  it("is shared by all watches, and given up with the last", async () => {
    const plane = world.plane();
    const streams = await Promise.all([1, 2, 3].map(() => plane.listAndWatch(all)));
    await vi.waitFor(() => expect(world.server.openWatches).toBe(2), 4000);
    for (const stream of streams.slice(1)) await stream.return?.();
    await worker.register(endpoint());
    const log = new Log(streams[0] as NonNullable<(typeof streams)[0]>);
    await log.says("Resync", added);
    expect(world.server.openWatches).toBe(2);
    await plane.close();
    await log.done;
    await vi.waitFor(() => expect(world.server.openWatches).toBe(0), 4000);
  });

  it("is followed anew by a watch after the last", async () => {
    const plane = world.plane();
    for (let round = 0; round < 5; round++) {
      const stream = await plane.listAndWatch(all);
      await stream.return?.();
    }
    await worker.register(endpoint());
    const log = await watching(plane);
    await log.says(added, "Resync");
    await vi.waitFor(() => expect(world.server.openWatches).toBe(2), 4000);
  });

  it("is listed from what is followed, if it is", async () => {
    const plane = world.plane();
    const log = await watching(plane);
    await worker.register(endpoint());
    await log.says("Resync", added);
    const before = world.server.requests.length;
    expect(await plane.list(all)).toHaveLength(1);
    expect(await plane.list({ ...all, type: "AllModels" })).toEqual([]);
    expect(world.server.requests).toHaveLength(before);
  });

  it("is given up after a failed start, with the reason", async () => {
    world.server.faults.fail({ status: 503, verb: "list", times: 1000 });
    const problems: unknown[] = [];
    const plane = world.plane({ syncTimeout: 200 });
    await expect(
      plane.listAndWatch(all, { onInterruption: (problem) => problems.push(problem?.code) }),
    ).rejects.toThrow(expect.objectContaining({ code: "KUBE_UNAVAILABLE" }));
    expect(problems).toEqual(["KUBE_UNAVAILABLE"]);
    world.server.faults.heal();
    expect((await watching(plane)).said).toEqual(["Resync"]);
  });

  it("is waited for while a list is slow, as long as anybody wants it", async () => {
    world.server.faults.slowLists(60_000);
    const slow = world.plane({ syncTimeout: 50 });
    const late = expect.objectContaining({ code: "KUBE_TIMEOUT" });
    await expect(slow.listAndWatch(all)).rejects.toThrow(late);
    const plane = world.plane();
    const signal = AbortSignal.timeout(20);
    const aborted = expect.objectContaining({ code: "PLANE_ABORTED" });
    await expect(plane.listAndWatch(all, { signal })).rejects.toThrow(aborted);
    const closed = expect.objectContaining({ code: "PLANE_CLOSED" });
    const [watched, listed] = [plane.listAndWatch(all), plane.list(all)];
    const outcomes = Promise.allSettled([watched, listed]);
    await plane.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: closed });
    world.server.faults.heal();
  });

  it("ends with the context's signal", async () => {
    const controller = new AbortController();
    const plane = world.plane({}, { signal: controller.signal });
    const log = await watching(plane);
    controller.abort();
    await log.done;
    await expect(plane.check()).rejects.toThrow(expect.objectContaining({ code: "PLANE_CLOSED" }));
  });

  it("needs the custom resource, and names it", async () => {
    await world.cluster.api.request({
      method: "DELETE",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/dynamoworkermetadatas.nvidia.com",
    });
    const missing = expect.objectContaining({ code: "KUBE_NOT_FOUND" });
    await expect(world.plane().check()).rejects.toThrow(missing);
    await expect(world.plane().list(all)).rejects.toThrow(missing);
    await expect(worker.register(endpoint())).rejects.toThrow(missing);
    await expect(world.plane({ syncTimeout: 100 }).listAndWatch(all)).rejects.toThrow(missing);
  });
});
