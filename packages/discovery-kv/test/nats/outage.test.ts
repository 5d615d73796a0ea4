import { describeWith, type NatsServer, startNats, startProxy, until } from "@muster/test-servers";
import { createRecordingMeter } from "@muster/testkit";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bench, Follower } from "./bench.ts";

const bucketName = "v1/instances";

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describeWith("nats", describe)("a NATS store whose server", () => {
  let server: NatsServer;
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    server = bench.add(await startNats());
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  /** A writer with one key, and a reader that sees it. */
  const pair = async (servers = server.url) => {
    const writer = bench.store(servers).bucket(bucketName);
    await writer.create("mine", "1");
    const metrics = createRecordingMeter();
    const reader = bench.store(servers, {}, { metrics });
    const follower = await Follower.of(reader.bucket(bucketName));
    await follower.sees({ mine: "1" });
    return { writer, follower, metrics };
  };

  it("is killed and comes back goes on, with nothing removed in between", async () => {
    const { writer, follower, metrics } = await pair();
    await server.kill();
    await until(() => follower.interruptions.includes("STORE_UNAVAILABLE"), "an interruption");
    await server.restart();
    await until(() => follower.interruptions.includes("mended"), "its end");
    const told = follower.interruptions.filter((code) => code !== "mended").length;
    expect(metrics.value("muster_store_nats_interruptions_total")).toBe(told);
    await writer.create("later", "2");
    await follower.sees({ mine: "1", later: "2" });
    expect(follower.events.filter(({ type }) => type === "Delete")).toEqual([]);
    const resyncs = follower.events.flatMap((event) => (event.type === "Resync" ? [event] : []));
    expect(resyncs.map(({ entries }) => [...entries])).toEqual([[["mine", "1"]], [["mine", "1"]]]);
  });

  it("lost everything gets it again", async () => {
    const { follower } = await pair();
    const before = follower.events.length;
    await server.wipe();
    await until(() => follower.events.length > before, "a Resync");
    await follower.sees({ mine: "1" });
  });

  it("lost the stream under live connections gets it again", async () => {
    const { writer, follower } = await pair();
    const connection = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(connection);
    await streams.delete("KV_muster");
    await connection.close();
    await writer.create("later", "2");
    await follower.sees({ mine: "1", later: "2" });
  });

  it("stands still is noticed, and every request ends in its time", async () => {
    const { writer, follower } = await pair();
    server.pause();
    await expect(writer.get("mine")).rejects.toMatchObject({
      code: expect.stringMatching(/^STORE_(TIMEOUT|UNAVAILABLE)$/),
    });
    await until(() => follower.interruptions.includes("STORE_UNAVAILABLE"), "an interruption");
    // longer than keys live: they must not be taken for dead, since nobody could have renewed
    await expect(writer.create("other", "1")).rejects.toMatchObject({
      code: expect.stringMatching(/^STORE_(TIMEOUT|UNAVAILABLE)$/),
    });
    expect([...follower.view]).toEqual([["mine", "1"]]);
    server.resume();
    await until(() => follower.interruptions.includes("mended"), "its end");
    await writer.create("later", "2");
    // what could not be said to have been written is not there in the end
    await follower.sees({ mine: "1", later: "2" });
  });

  it("is not there says so at once, and works when it is", async () => {
    const store = bench.store(server.url);
    await server.kill();
    const bucket = store.bucket(bucketName);
    const unavailable = { code: "STORE_UNAVAILABLE", message: expect.stringContaining(server.url) };
    await expect(store.check()).rejects.toMatchObject(unavailable);
    await expect(bucket.create("a", "1")).rejects.toMatchObject(unavailable);
    await expect(bucket.watch()).rejects.toMatchObject(unavailable);
    await server.restart();
    expect(await bucket.create("a", "1")).toBe(true);
  });

  it("loses its connections over and over keeps one consumer per watch", async () => {
    const proxy = await startProxy(server);
    bench.add({ [Symbol.asyncDispose]: () => proxy.close() });
    const { writer, follower } = await pair(`127.0.0.1:${proxy.port}`);
    for (let round = 1; round <= 8; round++) {
      proxy.drop();
      const mended = (): number =>
        follower.interruptions.filter((each) => each === "mended").length;
      await until(() => mended() >= round, `recovery ${round}`);
    }
    await writer.create("later", "2");
    await follower.sees({ mine: "1", later: "2" });
    // the watch's own, and that of the leases: those of lost connections go a few seconds later
    await until(async () => (await server.consumers()) === 2, "two consumers are left");
  });

  it("is asked for many things leaves nothing there", async () => {
    const store = bench.store(server.url);
    const bucket = store.bucket(bucketName);
    await Promise.all(Array.from({ length: 20 }, () => bucket.entries()));
    const streams = await Promise.all(Array.from({ length: 20 }, () => bucket.watch()));
    for (const stream of streams) await stream.return?.();
    await until(async () => (await server.consumers()) === 0, "no consumer is left", 2500);
    await bucket.watch();
    await store.close();
    await until(async () => (await server.consumers()) === 0, "no consumer is left", 2500);
    const connections = (await server.monitor("/connz")) as { num_connections: number };
    expect(connections.num_connections).toBe(0);
  });
});
