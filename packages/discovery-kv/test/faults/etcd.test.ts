import { systemClock } from "@muster/core";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import {
  describeWith,
  type EtcdServer,
  startEtcd,
  startProxy,
  type TestProxy,
} from "@muster/test-servers";
import { describe, expect, it } from "vitest";
import { WorkerPool } from "../support/worker-pool.ts";
import { runHistory } from "./history.ts";
import type { Fault, FaultWorld } from "./model.ts";
import { seeds } from "./seeds.ts";

const hour = 3_600_000;

function createEtcdWorld(etcd: EtcdServer, proxy: TestProxy, pool: WorkerPool): FaultWorld {
  let jumped = 0;
  const clock = { ...systemClock, now: () => Date.now() + jumped };
  const config = { endpoints: `127.0.0.1:${proxy.port}`, requestTimeout: "2s" };
  return {
    patience: 20_000,
    faults: [
      ...etcdFaults(etcd, proxy),
      once("clock jumps", (pick) => {
        jumped += (pick(48) - 24) * hour;
      }),
    ],
    worker: pool.take,
    reader: async () => createKvDiscovery(createEtcdStore(config, { clock })),
    contents: async () => [...(await etcd.read()).values()],
  };
}

function etcdFaults(etcd: EtcdServer, proxy: TestProxy): Fault[] {
  return [
    once("server is killed and restarted", async () => {
      await etcd.kill();
      await etcd.restart();
    }),
    once("server is restarted", () => etcd.restart()),
    once("server is wiped", () => etcd.wipe()),
    once("a lease is revoked", (pick) => revokeOne(etcd, pick)),
    once("connections are dropped", () => proxy.drop()),
    once("history is compacted", () => compact(etcd)),
    { ...once("network is cut", () => proxy.cut()), end: async () => proxy.heal() },
    {
      ...once("network is cut, history compacted", () => proxy.cut()),
      async end() {
        await compact(etcd);
        proxy.heal();
      },
    },
    { ...once("network is half open", () => proxy.stall()), end: async () => proxy.heal() },
    { ...once("server stands still", () => etcd.pause()), end: async () => etcd.resume() },
  ];
}

function once(name: string, run: (pick: (limit: number) => number) => unknown): Fault {
  return {
    name,
    async begin(pick) {
      await run(pick);
      return undefined;
    },
  };
}

/** So that there is something to compact, one change more. */
async function compact(etcd: EtcdServer): Promise<void> {
  etcd.resume();
  await etcd.put("elsewhere", "1");
  await etcd.delete("elsewhere");
  await etcd.compact();
}

/** As an operator would, in error. */
async function revokeOne(etcd: EtcdServer, pick: (limit: number) => number): Promise<void> {
  etcd.resume();
  const { leases = [] } = (await etcd.call("/v3/lease/leases", {})) as {
    leases?: { ID: string }[];
  };
  const lease = leases[pick(Math.max(leases.length, 1))];
  if (lease !== undefined) await etcd.call("/v3/lease/revoke", { ID: lease.ID });
}

describeWith("etcd", describe)("any history on the etcd store ends in agreement", () => {
  it.concurrent.each(seeds(2, 3))("seed %i", { timeout: 180_000 }, async (seed) => {
    await using etcd = await startEtcd();
    const proxy = await startProxy(etcd);
    const endpoints = `127.0.0.1:${proxy.port}`;
    const pool = new WorkerPool({ type: "etcd", endpoints, ttl: "1s", requestTimeout: "2s" });
    try {
      const world = createEtcdWorld(etcd, proxy, pool);
      const tally = await runHistory({ world, seed, steps: 60, checkEvery: 12 });
      console.log(`etcd, seed ${seed}:`, tally);
      expect(tally.comparisons).toBeGreaterThan(4);
    } finally {
      await pool.close();
      await proxy.close();
    }
  });
});
