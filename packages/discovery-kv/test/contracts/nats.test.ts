import type { KeyValueStore } from "@muster/core/plane";
import { createNatsStore } from "@muster/discovery-kv/nats";
import {
  describeWith,
  type NatsServer,
  startNats,
  startProxy,
  type TestProxy,
} from "@muster/test-servers";
import { describeKeyValueStore } from "@muster/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";

describeWith("nats", describe)("the NATS store", () => {
  let server: NatsServer;
  let worlds = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describeKeyValueStore(
    { describe, it: (name, body) => it(name, body, 30_000) },
    {
      ttl: 1000,
      async make() {
        const namespace = `world-${++worlds}`;
        const proxies = new Map<KeyValueStore, TestProxy>();
        return {
          async client() {
            const proxy = await startProxy(server);
            const servers = `nats://127.0.0.1:${proxy.port}`;
            const store = createNatsStore({ servers, namespace, ttl: "1s", requestTimeout: "2s" });
            proxies.set(store, proxy);
            return store;
          },
          kill: (client) => proxies.get(client)?.cut(),
          async close() {
            await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
          },
        };
      },
    },
  );
});
