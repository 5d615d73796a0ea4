import { createNatsStore } from "@muster/discovery-kv/nats";
import { describeWith, type NatsServer, startNats } from "@muster/test-servers";
import { jetstream } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRawBucket } from "../nats/raw-bucket.ts";
import { expectReads, registerAll } from "./plane.ts";
import { type GoldenRecord, golden, instanceId, legacy } from "./records.ts";

/** Our own mapping: nothing of these keys has to be escaped. */
const keyOf = ({ bucket, key }: GoldenRecord): string => `${bucket}.${key}`;

describeWith("nats", describe)("a real NATS", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("whose bucket was laid out by hand is read", async () => {
    const connection = await connect({ servers: server.url });
    const kv = await new Kvm(jetstream(connection)).create("read");
    for (const record of [...golden, legacy]) await kv.put(keyOf(record), record.wire);
    await expectReads(createNatsStore({ servers: server.url, namespace: "read" }));
    await connection.close();
  });

  it("holds the same after we wrote it, to the byte, and our lease", async () => {
    const plane = await registerAll(
      createNatsStore({ servers: server.url, namespace: "written", connectionId: instanceId }),
    );
    await using raw = await openRawBucket(server.url, "written");
    const contents = await raw.contents();
    expect(contents.delete("=lease.694d8a1b2c3d4e5f")).toBe(true);
    expect(contents).toEqual(new Map(golden.map((record) => [keyOf(record), record.wire])));
    await plane.close();
    expect(await raw.contents()).toEqual(new Map());
  });
});
