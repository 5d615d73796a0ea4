import { describeWith, type NatsServer, startNats } from "@muster/test-servers";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench, Follower } from "./bench.ts";
import { openRawBucket } from "./raw-bucket.ts";

describeWith("nats", describe)("the bucket of a NATS store", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("is one of NATS KV: any client of it reads keys and values as they are", async () => {
    await using bench = new Bench();
    const store = bench.store(server.url, { namespace: "read", connectionId: 0x18n });
    const value = '{"instance_id":18446744073709551615,"name":"ä🚀"}';
    await store.bucket("v1/instances").create("dynamo/backend/generate/18", value);
    await store.bucket("v1/event_channels").create("namespace/a%20b/topic/t/18", "{}");
    await using raw = await openRawBucket(server.url, "read");
    expect([...(await raw.contents())].sort()).toEqual([
      ["=lease.18", expect.stringMatching(/^\{"ttl":1000,"session":"[0-9a-f-]{36}"\}$/)],
      ["v1/event_channels.namespace/a=2520b/topic/t/18", "{}"],
      ["v1/instances.dynamo/backend/generate/18", value],
    ]);
    const { config } = (await raw.kv.status()).streamInfo;
    expect(config).toMatchObject({ name: "KV_read", max_msgs_per_subject: 1, max_age: 600e9 });
    await store.close();
    expect(await raw.contents()).toEqual(new Map());
  });

  it("may be written by others: what they put has no owner, what is no key of ours is left out", async () => {
    await using bench = new Bench();
    const connection = await connect({ servers: server.url });
    const kv = await new Kvm(jetstream(connection)).create("foreign");
    await kv.put("v1/instances.theirs", "1");
    await kv.put("v1/instances.a.b", "two tokens");
    await kv.put("v1/instances.=zz", "no escape");
    await kv.put("=lease.nobody", "no lease");
    const bucket = bench.store(server.url, { namespace: "foreign" }).bucket("v1/instances");
    const follower = await Follower.of(bucket);
    await follower.sees({ theirs: "1" });
    expect(await bucket.entries()).toEqual(new Map([["theirs", "1"]]));
    expect(await bucket.create("theirs", "2")).toBe(false);
    await kv.put("v1/instances.theirs", "2");
    await follower.sees({ theirs: "2" });
    await kv.purge("v1/instances.theirs");
    await follower.sees({});
    expect(await bucket.create("theirs", "3")).toBe(true);
    await connection.close();
  });

  it("is made once, and loses nothing, when many come to a new server at the same moment", async () => {
    await using bench = new Bench();
    for (let fleet = 0; fleet < 30; fleet++) {
      const namespace = `rush-${fleet}`;
      const made = [1, 2, 3, 4].map((each) =>
        bench.store(server.url, { namespace }).bucket("v1/instances").create(`${each}`, ""),
      );
      expect(await Promise.all(made)).toEqual([true, true, true, true]);
    }
  });

  it("says so when another stream has its subjects", async () => {
    await using bench = new Bench();
    const connection = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: "other", subjects: ["$KV.taken.>"] });
    const bucket = bench.store(server.url, { namespace: "taken" }).bucket("v1/instances");
    await expect(bucket.watch()).rejects.toMatchObject({
      code: "STORE_RESPONSE",
      message: expect.stringContaining("subjects overlap with an existing stream"),
    });
    await connection.close();
  });

  it("keeps fleets apart by namespace", async () => {
    await using bench = new Bench();
    const [one, two] = ["one", "two"].map((namespace) =>
      bench.store(server.url, { namespace }).bucket("v1/instances"),
    );
    await one?.create("a", "1");
    expect(await two?.entries()).toEqual(new Map());
    expect(await two?.create("a", "2")).toBe(true);
    expect(await one?.get("a")).toBe("1");
  });
});
