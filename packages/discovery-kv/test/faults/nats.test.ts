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
import { WorkerProcess } from "../support/worker-process.ts";
import { runHistory } from "./history.ts";
import type { Fault, FaultWorld } from "./model.ts";
import { seeds } from "./seeds.ts";

const namespace = "faults";
const ttl = "1s";

function createNatsWorld(server: NatsServer, proxy: TestProxy): FaultWorld {
  const servers = `127.0.0.1:${proxy.port}`;
  const config = { servers, namespace, ttl, requestTimeout: "2s" } as const;
  return {
    patience: 15_000,
    faults: natsFaults(server, proxy),
    worker: () => WorkerProcess.start({ type: "nats", ...config }),
    reader: async () => createKvDiscovery(createNatsStore(config)),
    async contents() {
      await using bucket = await openRawBucket(server.url, namespace);
      const contents = await bucket.contents();
      return [...contents].flatMap(([key, value]) => (key.startsWith("=lease.") ? [] : [value]));
    },
  };
}

function natsFaults(server: NatsServer, proxy: TestProxy): Fault[] {
  const once = (name: string, run: () => Promise<void> | void): Fault => ({
    name,
    async begin() {
      await run();
      return undefined;
    },
  });
  return [
    once("server is killed and restarted", async () => {
      await server.kill();
      await server.restart();
    }),
    once("server is restarted", () => server.restart()),
    once("server is wiped", () => server.wipe()),
    once("stream is deleted", async () => {
      const connection = await connect({ servers: server.url });
      const { streams } = await jetstreamManager(connection);
      await streams.delete(`KV_${namespace}`).catch(() => false);
      await connection.close();
    }),
    once("connections are dropped", () => proxy.drop()),
    { ...once("network is cut", () => proxy.cut()), end: async () => proxy.heal() },
    { ...once("network is half open", () => proxy.stall()), end: async () => proxy.heal() },
    { ...once("server stands still", () => server.pause()), end: async () => server.resume() },
  ];
}

describeWith("nats", describe)("any history on the NATS store ends in agreement", () => {
  it.each(seeds(1))("seed %i", { timeout: 120_000 }, async (seed) => {
    await using server = await startNats();
    const proxy = await startProxy(server);
    try {
      const tally = await runHistory({
        world: createNatsWorld(server, proxy),
        seed,
        steps: 60,
        checkEvery: 12,
      });
      console.log(`NATS, seed ${seed}:`, tally);
      expect(tally.comparisons).toBeGreaterThan(4);
    } finally {
      await proxy.close();
    }
  });
});
