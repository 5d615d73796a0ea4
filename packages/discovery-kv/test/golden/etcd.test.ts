import { createEtcdStore } from "@muster/discovery-kv/etcd";
import { describeWith, type EtcdServer, startEtcd } from "@muster/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectReads, registerAll } from "./plane.ts";
import { type GoldenRecord, golden, instanceId, legacy } from "./records.ts";

const keyOf = ({ bucket, key }: GoldenRecord): string => `${bucket}/${key}`;

describeWith("etcd", describe)("a real etcd", () => {
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  beforeEach(() => etcd.clear());
  afterAll(() => etcd[Symbol.asyncDispose]());

  it("whose content was laid out by hand is read", async () => {
    for (const record of [...golden, legacy]) await etcd.put(keyOf(record), record.wire);
    await expectReads(createEtcdStore({ endpoints: etcd.endpoint }));
  });

  it("holds the same after we wrote it, to the byte, all on the lease whose id ours is", async () => {
    const plane = await registerAll(
      createEtcdStore({ endpoints: etcd.endpoint, leaseId: instanceId }),
    );
    expect(await etcd.read()).toEqual(
      new Map(golden.map((record) => [keyOf(record), record.wire])),
    );
    const { kvs } = await etcd.call("/v3/kv/range", { key: "AA==", range_end: "AA==" });
    expect(kvs).toEqual(
      golden.map(() => expect.objectContaining({ lease: String(instanceId), version: "1" })),
    );
    await plane.close();
    expect(await etcd.read()).toEqual(new Map());
  });
});
