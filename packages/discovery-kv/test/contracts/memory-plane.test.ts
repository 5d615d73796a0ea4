import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { describeDiscoveryPlane } from "@muster/testkit";
import { describe, it } from "vitest";

describeDiscoveryPlane(
  { describe, it },
  {
    largestId: 2n ** 64n - 1n,
    make: () => {
      const registry = createMemoryRegistry();
      return {
        client: ({ instanceId: connectionId } = {}) =>
          createKvDiscovery(createMemoryStore({ registry, connectionId })),
      };
    },
  },
);
