import type { Discovery } from "@muster/core/plane";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { KubeIdentity } from "../../src/index.ts";
import { Log } from "./log.ts";
import { endpoint, endpointKey, endpointsData } from "./records.ts";
import { openPlaneWorld, type PlaneWorld } from "./world.ts";

const all = { type: "AllEndpoints" } as const;
const added = `Added ${endpointKey("worker-0")}`;
const removed = `Removed ${endpointKey("worker-0")}`;

let world: PlaneWorld;
let reader: Discovery;
let log: Log;

beforeEach(async () => {
  world = await openPlaneWorld();
  reader = world.plane();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function watch(): Promise<void> {
  log = new Log(await reader.listAndWatch(all));
  await log.shows(() => expect(log.said).toContain("Resync"));
}

/** Waits until what a new reader lists, and what the watch has, is this many records. */
async function shows(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await world.plane().list(all)).toHaveLength(count), 4000);
  await log.shows(() => expect(log.view).toHaveLength(count));
}

describe("readiness by pod", () => {
  let identity: KubeIdentity;

  beforeEach(async () => {
    identity = await world.cluster.pod("worker-0");
    await world.plane({ identity }).register(endpoint());
    await watch();
  });

  it("publishes a worker while a slice says that it is ready", async () => {
    await shows(0);
    await world.cluster.slice("s", [identity]);
    await log.says("Resync", added);
    await world.cluster.slice("s", [{ ...identity, ready: false }]);
    await log.says("Resync", added, removed);
    await world.cluster.slice("s", [identity]);
    await world.cluster.deleteSlice("s");
    await log.shows(() => expect(log.said.at(-1)).toBe(removed));
    await shows(0);
  });

  it("takes a slice that does not say so for one that says no", async () => {
    await world.cluster.slice("s", [{ ...identity, ready: null }]);
    await world.cluster.slice("t", [{ podName: "worker-9" }]);
    await shows(0);
  });

  it("counts slices: a worker in two is ready until both have dropped it", async () => {
    await world.cluster.slice("s", [identity, identity]);
    await world.cluster.slice("t", [identity]);
    await world.cluster.slice("s", [identity]);
    await shows(1);
    await world.cluster.deleteSlice("s");
    await shows(1);
    await world.cluster.slice("t", []);
    await log.says("Resync", added, removed);
  });

  it("publishes by name alone where slices tell no uid", async () => {
    await world.cluster.slice("s", [{ podName: "worker-0" }]);
    await shows(1);
  });

  it("does not take the object of an earlier pod of the name for the present one's", async () => {
    await world.cluster.slice("s", [{ podName: "worker-0", podUid: "later" }]);
    await shows(0);
    await world.cluster.slice("s", [identity]);
    await shows(1);
  });

  it("excludes a name that two pods have, until that settles", async () => {
    await world.cluster.slice("s", [identity]);
    await shows(1);
    await world.cluster.slice("t", [{ podName: "worker-0", podUid: "later" }]);
    await shows(0);
    await world.cluster.slice("t", []);
    await shows(1);
  });

  it("leaves out an object without an owner", async () => {
    const other = await world.cluster.readyPod("worker-1");
    await world.cluster.putWorker(other, endpointsData("worker-1"), { owners: [] });
    await world.cluster.slice("s", [identity]);
    await shows(1);
  });

  it("follows a pod that is replaced by another of its name", async () => {
    await world.cluster.slice("s", [identity]);
    await shows(1);
    await world.cluster.deletePod("worker-0");
    await shows(0);
    const next = await world.cluster.readyPod("worker-0");
    await world.cluster.slice("s", []);
    await vi.waitFor(() => world.plane({ identity: next }).register(endpoint("next")), 4000);
    await log.shows(() => expect(log.said.at(-1)).toBe(`Added ${endpointKey("worker-0", "next")}`));
    await shows(1);
  });
});

describe("readiness by container", () => {
  const containers = ["main", "engine-0"];

  beforeEach(async () => {
    reader = world.plane({ mode: "container" });
    const pod = await world.cluster.pod("worker-0");
    for (const containerName of containers) {
      const identity = { ...pod, mode: "container", containerName } as const;
      await world.plane({ identity }).register(endpoint());
    }
    await watch();
  });

  it("publishes each container of a pod while it is ready", async () => {
    const engine = endpointKey("worker-0-engine-0");
    await world.cluster.containers("worker-0", { main: true, "engine-0": false });
    await log.says("Resync", added);
    await world.cluster.containers("worker-0", { main: false, "engine-0": true });
    await log.says("Resync", added, removed, `Added ${engine}`);
    await world.cluster.deletePod("worker-0");
    await log.says("Resync", added, removed, `Added ${engine}`, `Removed ${engine}`);
  });

  it("reads readiness by container for its own list too", async () => {
    await world.cluster.containers("worker-0", { main: true, "engine-0": true });
    await log.shows(() => expect(log.view).toHaveLength(2));
    expect(await world.plane({ mode: "container" }).list(all)).toHaveLength(2);
    expect(await world.plane().list(all)).toHaveLength(0);
  });
});
