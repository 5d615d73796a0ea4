import type { KeyValueStore } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import {
  describeWith,
  type EtcdServer,
  startEtcd,
  startProxy,
  type TestProxy,
} from "@muster/test-servers";
import { describeDiscoveryPlane, describeKeyValueStore } from "@muster/testkit";
import { afterAll, beforeAll, describe, it, vi } from "vitest";

vi.setConfig({ testTimeout: 60_000 });

describeWith("etcd", describe)("the etcd store", () => {
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  describeKeyValueStore(
    { describe, it },
    {
      ttl: 1000,
      patience: 10_000,
      flood: 200,
      make: async () => {
        await etcd.clear();
        const proxies = new Map<KeyValueStore, TestProxy>();
        return {
          client: async () => {
            const proxy = await startProxy(etcd);
            const endpoints = `127.0.0.1:${proxy.port}`;
            const store = createEtcdStore({ endpoints, ttl: "1s", queueLimit: 50 });
            proxies.set(store, proxy);
            return store;
          },
          kill: (store) => proxies.get(store)?.cut(),
          close: async () => {
            await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
          },
        };
      },
    },
  );

  describeDiscoveryPlane(
    { describe, it },
    {
      largestId: 2n ** 63n - 1n,
      make: async () => {
        await etcd.clear();
        return {
          client: ({ instanceId: leaseId } = {}) =>
            createKvDiscovery(createEtcdStore({ endpoints: etcd.endpoint, leaseId })),
        };
      },
    },
  );
});
