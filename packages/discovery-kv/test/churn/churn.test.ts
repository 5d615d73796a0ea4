import { join } from "node:path";
import process from "node:process";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import { describeWith, startEtcd, startNats } from "@muster/test-servers";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../file-world.ts";
import { openRawBucket } from "../nats/raw-bucket.ts";
import { contentsOf } from "../support/file-contents.ts";
import { WorkerPool } from "../support/worker-pool.ts";
import { runChurn } from "./churn.ts";

const seconds = Number(process.env.MUSTER_CHURN_SECONDS ?? 8);
const timeout = (seconds + 90) * 1000;
/** A lease of 10 s, and as much again as a busy machine takes. */
const patience = 30_000;
/** How long one call may take when 9 processes share a machine with others. */
const requestTimeout = "20s";

async function churnOn(config: StoreConfig, contents: () => Promise<string[]>): Promise<void> {
  const pool = new WorkerPool(config);
  try {
    const reader = createKvDiscovery(await createStore(config));
    const report = await runChurn({ worker: pool.take, reader, contents, patience, seconds });
    console.log(`${config.type}, ${seconds} s of churn:`, report);
    const { operations, events, orphans } = report;
    expect(operations).toBeGreaterThan(20 * seconds);
    // an onlooker may be shown less than all, but not the end alone
    expect(events.Added).toBeGreaterThan(operations / 10);
    expect(orphans).toBeGreaterThan(0);
  } finally {
    await pool.close();
  }
}

describe("a ninth process is never shown a wrong address, and the truth at the end", () => {
  it("on the file store", { timeout }, async () => {
    const directory = makeDirectory();
    try {
      const root = join(directory.path, "root");
      await churnOn({ type: "file", root }, () => contentsOf(root));
    } finally {
      directory.remove();
    }
  });

  describeWith("etcd", describe)("with a real etcd", () => {
    it("on the etcd store", { timeout }, async () => {
      await using etcd = await startEtcd();
      const config = { type: "etcd", endpoints: etcd.endpoint, requestTimeout } as const;
      await churnOn(config, async () => [...(await etcd.read()).values()]);
    });
  });

  describeWith("nats", describe)("with a real NATS", () => {
    it("on the NATS store", { timeout }, async () => {
      await using server = await startNats();
      const config = {
        type: "nats",
        servers: server.url,
        namespace: "churn",
        requestTimeout,
      } as const;
      await churnOn(config, async () => {
        await using bucket = await openRawBucket(server.url, "churn");
        const contents = await bucket.contents();
        return [...contents].flatMap(([key, value]) => (key.startsWith("=lease.") ? [] : [value]));
      });
    });
  });
});
