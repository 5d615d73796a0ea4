import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@muster/core";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Reading } from "./reading.ts";
import { configMaps, openFakeWorld, uniqueKind } from "./world.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-k8s-"));
});
afterEach(() => rm(folder, { recursive: true }));

type FakeWorld = Awaited<ReturnType<typeof openFakeWorld>>;

/** Lets a service account list and watch config maps of the world's namespace. */
async function allow({ api, namespace }: FakeWorld, name: string): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const path = `/apis/${group}/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
  const body = { apiVersion: `${group}/v1`, kind: "Role", metadata: { name }, rules };
  await api.request({ method: "POST", path: `${path}/roles`, body });
  await api.request({
    ...{ method: "POST", path: `${path}/rolebindings` },
    body: {
      ...{ apiVersion: `${group}/v1`, kind: "RoleBinding", metadata: { name } },
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  });
}

describe("an object watcher of Kubernetes", () => {
  it("waits for the right to watch, says so once in the log, and follows when it is given", async () => {
    const tokenFile = join(folder, "token");
    const world = await openFakeWorld(tokenFile, "admin");
    await writeFile(tokenFile, world.server.addServiceAccount(world.namespace, "muster"));
    const logger = createRecordingLogger();
    const meter = createRecordingMeter();
    await world.put("a", "1");
    const reading = new Reading(world.watcher({}, { logger, metrics: meter }), configMaps);
    await reading.says("KUBE_FORBIDDEN");
    expect(reading.problem?.message).toMatch(/configmaps/);
    const errors = (): number | undefined =>
      meter.value("muster_kubernetes_errors_total", { code: "KUBE_FORBIDDEN" });
    await expect.poll(() => Number(errors() ?? 0)).toBeGreaterThan(3);
    expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    await allow(world, "muster");
    await reading.shows({ a: "1" });
    await reading.says(undefined);
    await world.close();
  });

  it("tells what a cluster that was restored from a backup has, whatever its version", async () => {
    const world = await openFakeWorld();
    const { faults } = world.server;
    const list = (revision: string, mark: string): void => {
      const metadata = { name: "a", uid: "1", resourceVersion: "900", annotations: { mark } };
      const whole = { kind: "ConfigMapList", metadata: { resourceVersion: revision } };
      const body = JSON.stringify({ ...whole, items: [{ metadata }] });
      faults.fail({ verb: "list", resource: "configmaps", status: 200, body });
      faults.fail({ verb: "watch", resource: "configmaps", status: 500 });
    };
    list("1000", "before");
    list("950", "after");
    const reading = new Reading(world.watcher(), configMaps);
    await expect
      .poll(() => reading.events.map(({ object }) => object.metadata?.annotations?.mark))
      .toEqual(expect.arrayContaining(["before", "after"]));
    await reading.stop();
    await world.close();
  });

  it("lists and watches once for all who read a kind, and lists again for one that comes later", async () => {
    const world = await openFakeWorld();
    const watcher = world.watcher();
    const lists = (): number =>
      world.server.requests.filter(
        ({ resource, verb }) => resource === "configmaps" && verb === "list",
      ).length;
    await world.put("a", "1");
    const readings = [1, 2, 3].map(() => new Reading(watcher, configMaps));
    for (const reading of readings) await reading.shows({ a: "1" });
    await expect.poll(() => world.server.openWatches).toBe(1);
    expect(lists()).toBe(1);
    const later = new Reading(watcher, configMaps);
    await later.shows({ a: "1" });
    await expect.poll(() => world.server.openWatches).toBe(1);
    expect(lists()).toBe(2);
    expect(readings.map(({ events }) => events.length)).toEqual([1, 1, 1]);
    const what = `configmaps in ${world.namespace}`;
    expect(watcher.follows?.(configMaps)).toMatchObject([{ what, restarts: 0, errors: 0 }]);
    for (const reading of [...readings, later]) await reading.stop();
    expect(watcher.follows?.(configMaps)).toEqual([]);
    await world.close();
  });

  it("says once that a kind is not there, however often it looks", async () => {
    const world = await openFakeWorld();
    const logger = createRecordingLogger();
    const gadget = uniqueKind("Gadget");
    const reading = new Reading(world.watcher({}, { logger }), gadget);
    const looks = (): number => logger.lines.filter(({ level }) => level === "debug").length;
    await expect.poll(looks).toBeGreaterThan(2);
    expect(logger.lines.filter(({ level }) => level === "warn")).toMatchObject([
      { fields: { code: "KUBE_NOT_FOUND", kind: `${gadget.group}/v1, Kind=Gadget` } },
    ]);
    await reading.stop();
    await world.close();
  });

  it("looks for a kind with growing pauses, also when it can be listed and not be watched", async () => {
    const world = await openFakeWorld();
    const waits: number[] = [];
    const schedule: Clock["schedule"] = (callback, ms) => {
      waits.push(ms);
      return systemClock.schedule(callback, ms);
    };
    const clock: Clock = {
      ...{ now: () => systemClock.now(), monotonic: () => systemClock.monotonic() },
      schedule,
    };
    const gone = { status: 404, verb: "watch", resource: "configmaps", times: 1_000_000 };
    world.server.faults.fail(gone);
    await world.put("a", "1");
    const reading = new Reading(world.watcher({}, { clock }), configMaps);
    await reading.shows({ a: "1" });
    // the first pause is 10 ms at most, the longest 50 ms
    const long = (): boolean => waits.some((ms) => ms > 20 && ms <= 50);
    await expect.poll(long, { timeout: 10_000, interval: 5 }).toBe(true);
    world.server.faults.heal();
    await reading.says(undefined);
    await world.put("a", "2");
    await reading.shows({ a: "2" });
    await world.close();
  });

  it("keeps what it told while the server is away, and tells what it missed", async () => {
    const world = await openFakeWorld();
    await world.put("a", "1");
    await world.put("b", "1");
    const reading = new Reading(world.watcher(), configMaps);
    await reading.shows({ a: "1", b: "1" });
    await expect.poll(() => world.server.openWatches).toBe(1);
    world.server.faults.loseDeletions(1);
    await world.remove("a");
    await world.server.stop();
    await reading.says("KUBE_UNAVAILABLE");
    expect(reading.marks).toEqual({ a: "1", b: "1" });
    await world.server.start();
    await world.put("b", "2");
    await reading.shows({ b: "2" });
    await reading.says(undefined);
    await world.close();
  });

  it("waits for a usable configuration of its cluster", async () => {
    const world = await openFakeWorld(join(folder, "token"), "admin");
    const reading = new Reading(world.watcher(), configMaps);
    await world.put("a", "1");
    await reading.says("KUBE_CONFIG");
    await writeFile(join(folder, "token"), "admin");
    await reading.shows({ a: "1" });
    await world.close();
  });
});
