import { createKvDiscovery } from "@muster/discovery-kv";
import { createNatsStore } from "@muster/discovery-kv/nats";
import { describeWith, type NatsServer, startNats } from "@muster/test-servers";
import { describeDiscoveryPlane } from "@muster/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";

describeWith("nats", describe)("the plane on NATS", () => {
  let server: NatsServer;
  let worlds = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describeDiscoveryPlane(
    { describe, it: (name, body) => it(name, body, 30_000) },
    {
      patience: 10_000,
      largestId: 2n ** 64n - 1n,
      make: () => {
        const namespace = `plane-${++worlds}`;
        return {
          client: ({ instanceId: connectionId } = {}) =>
            createKvDiscovery(createNatsStore({ servers: server.url, namespace, connectionId })),
        };
      },
    },
  );
});
