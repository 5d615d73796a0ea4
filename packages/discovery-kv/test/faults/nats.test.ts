import { createKvDiscovery } from "@muster/discovery-kv";
import { createNatsStore } from "@muster/discovery-kv/nats";
import {
  describeWith,
  type NatsServer,
  startNats,
  startProxy,
  type TestProxy,
} from "@muster/test-servers";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { openRawBucket } from "../nats/raw-bucket.ts";
import { WorkerPool } from "../support/worker-pool.ts";
import { runHistory } from "./history.ts";
import type { Fault, FaultWorld } from "./model.ts";
import { seeds } from "./seeds.ts";

const namespace = "faults";

function createNatsWorld(server: NatsServer, proxy: TestProxy, pool: WorkerPool): FaultWorld {
  const config = configOf(proxy);
  return {
    patience: 20_000,
    faults: natsFaults(server, proxy),
    worker: pool.take,
    reader: async () => createKvDiscovery(createNatsStore(config)),
    async contents() {
      await using bucket = await openRawBucket(server.url, namespace);
      const contents = await bucket.contents();
      return [...contents].flatMap(([key, value]) => (key.startsWith("=lease.") ? [] : [value]));
    },
  };
}

function configOf({ port }: TestProxy) {
  return { servers: `127.0.0.1:${port}`, namespace, ttl: "1s", requestTimeout: "2s" } as const;
}

function natsFaults(server: NatsServer, proxy: TestProxy): Fault[] {
  return [
    once("server is killed and restarted", async () => {
      await server.kill();
      await server.restart();
    }),
    once("server is restarted", () => server.restart()),
    once("server is wiped", () => server.wipe()),
    once("stream is deleted", () => deleteStream(server)),
    once("a lease is deleted", (below) => deleteLease(server, below)),
    once("connections are dropped", () => proxy.drop()),
    { ...once("network is cut", () => proxy.cut()), end: async () => proxy.heal() },
    { ...once("network is half open", () => proxy.stall()), end: async () => proxy.heal() },
    { ...once("server stands still", () => server.pause()), end: async () => server.resume() },
  ];
}

function once(name: string, run: (below: (limit: number) => number) => unknown): Fault {
  return {
    name,
    async begin(below) {
      await run(below);
    },
  };
}

/** As an operator would, in error. */
async function deleteStream(server: NatsServer): Promise<void> {
  server.resume();
  const connection = await connect({ servers: server.url });
  const { streams } = await jetstreamManager(connection);
  // it may be lost already
  await streams.delete(`KV_${namespace}`).catch(() => false);
  await connection.close();
}

async function deleteLease(server: NatsServer, below: (limit: number) => number): Promise<void> {
  server.resume();
  await using bucket = await openRawBucket(server.url, namespace);
  const keys = [...(await bucket.contents()).keys()].filter((key) => key.startsWith("=lease."));
  const key = keys[below(Math.max(keys.length, 1))];
  if (key !== undefined) await bucket.kv.delete(key);
}

describeWith("nats", describe)("any history on the NATS store ends in agreement", () => {
  it.each(seeds(1))("seed %i", { timeout: 120_000 }, async (seed) => {
    await using server = await startNats();
    const proxy = await startProxy(server);
    const pool = new WorkerPool({ type: "nats", ...configOf(proxy) });
    try {
      const world = createNatsWorld(server, proxy, pool);
      const tally = await runHistory({ world, seed, steps: 60, checkEvery: 12 });
      console.log(`NATS, seed ${seed}:`, tally);
      expect(tally.comparisons).toBeGreaterThan(4);
    } finally {
      await pool.close();
      await proxy.close();
    }
  });
});
