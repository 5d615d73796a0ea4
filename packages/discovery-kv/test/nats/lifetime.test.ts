import { describeWith, type NatsServer, startNats, startProxy, until } from "@muster/test-servers";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerProcess } from "../support/worker-process.ts";
import { Bench, Follower } from "./bench.ts";
import { openRawBucket } from "./raw-bucket.ts";

const bucketName = "v1/instances";
const action = { op: "register", slot: "endpoint", value: 1 } as const;

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describeWith("nats", describe)("keys of a NATS store", () => {
  let server: NatsServer;
  let bench: Bench;
  let namespace: string;
  let worlds = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    bench = new Bench();
    namespace = `lifetime-${++worlds}`;
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const store = (servers = server.url) => bench.store(servers, { namespace });
  const startWorker = () =>
    WorkerProcess.start({ type: "nats", servers: server.url, namespace, ttl: "1s" });

  it("vanish from views, then from the bucket, when their process is killed", async () => {
    const worker = await startWorker();
    const follower = await Follower.of(store().bucket(bucketName));
    await worker.run(action);
    await until(() => follower.view.size === 1, "the record is seen");
    await worker.kill();
    await follower.sees({});
    expect(await store().bucket(bucketName).entries()).toEqual(new Map());
    await using raw = await openRawBucket(server.url, namespace);
    await until(async () => (await raw.contents()).size === 0, "nothing is left in the bucket");
    expect(follower.events.map(({ type }) => type)).toEqual(["Resync", "Put", "Delete"]);
  });

  it("come back when their process slept longer than they live", async () => {
    const worker = await startWorker();
    const follower = await Follower.of(store().bucket(bucketName));
    await worker.run(action);
    await until(() => follower.view.size === 1, "the record is seen");
    const [before] = follower.view;
    worker.freeze();
    await follower.sees({});
    await using raw = await openRawBucket(server.url, namespace);
    await until(async () => (await raw.contents()).size === 0, "nothing is left in the bucket");
    worker.thaw();
    await until(() => follower.view.size === 1, "the record is seen again");
    expect([...follower.view]).toEqual([before]);
    await worker.leave();
    await follower.sees({});
  });

  it("come back when their client was cut off, except what was deleted; and it says so", async () => {
    const proxy = await startProxy(server);
    bench.add({ [Symbol.asyncDispose]: () => proxy.close() });
    const [logger, metrics] = [createRecordingLogger(), createRecordingMeter()];
    const servers = `127.0.0.1:${proxy.port}`;
    const mine = bench.store(servers, { namespace }, { logger, metrics }).bucket(bucketName);
    const other = store().bucket(bucketName);
    for (const key of ["stays", "deleted", "replaced"]) await mine.create(key, "mine");
    const follower = await Follower.of(other);
    proxy.cut();
    expect(await other.delete("deleted")).toBe(true);
    expect(await other.compareAndReplace("replaced", { expected: "mine", value: "theirs" })).toBe(
      true,
    );
    await follower.sees({ replaced: "theirs" });
    await using raw = await openRawBucket(server.url, namespace);
    await until(
      async () => (await raw.kv.get("v1/instances.stays"))?.operation === "DEL",
      "its removal",
    );
    const warnings = (): string[] =>
      logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
    await until(
      () => warnings().some((text) => text.startsWith("our lease could not be renewed in time: ")),
      "it says so while it is cut off",
    );
    proxy.heal();
    await follower.sees({ stays: "mine", replaced: "theirs" });
    expect(warnings()).toContain(
      "the store had let our lease end; all we registered is written again",
    );
    // a machine that is busy for a second loses it once more
    expect(metrics.value("muster_store_nats_lease_losses_total")).toBeGreaterThan(0);
  });

  it("stay deleted while their client lives on", async () => {
    const mine = store().bucket(bucketName);
    const other = store().bucket(bucketName);
    await mine.create("a", "1");
    await mine.create("b", "1");
    await other.delete("a");
    await using raw = await openRawBucket(server.url, namespace);
    const renewed = async (): Promise<number> => {
      const leases = [...(await raw.contents()).keys()].filter((key) => key.startsWith("=lease."));
      const entries = await Promise.all(leases.map((key) => raw.kv.get(key)));
      return Math.max(...entries.map((entry) => entry?.revision ?? 0));
    };
    const before = await renewed();
    await until(async () => (await renewed()) > before + 3, "several renewals");
    expect(await other.entries()).toEqual(new Map([["b", "1"]]));
  });

  it("of one process that is gone are free for another at once when seen dead", async () => {
    const worker = await startWorker();
    const watcher = store().bucket(bucketName);
    const follower = await Follower.of(watcher);
    await worker.run(action);
    await until(() => follower.view.size === 1, "the record is seen");
    const [[key = ""] = []] = follower.view;
    await worker.kill();
    await follower.sees({});
    expect(await store().bucket(bucketName).create(key, "another's")).toBe(true);
    await follower.sees({ [key]: "another's" });
  });

  it("cost one message per renewal, however many they are", async () => {
    const mine = store().bucket(bucketName);
    await Promise.all(Array.from({ length: 50 }, (_, index) => mine.create(`k/${index}`, "1")));
    await using raw = await openRawBucket(server.url, namespace);
    const last = async (): Promise<number> => (await raw.kv.status()).streamInfo.state.last_seq;
    const leases = await raw.kv.watch({ key: "=lease.*", include: "updates" });
    const before = await last();
    let renewals = 0;
    for await (const { revision } of leases) {
      renewals += 1;
      if (renewals === 3) {
        expect(revision - before).toBe(3);
        break;
      }
    }
  });
});
