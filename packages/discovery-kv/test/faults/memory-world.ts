import { type Discovery, planeBuckets } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { perform } from "../support/perform.ts";
import type { FaultWorld } from "./model.ts";

/** Workers in this process on one registry; all that they can do is leave. */
export function createMemoryWorld(patience = 2000): FaultWorld {
  const registry = createMemoryRegistry();
  const plane = (): Discovery => createKvDiscovery(createMemoryStore({ registry, queueLimit: 8 }));
  return {
    patience,
    faults: [],
    async worker() {
      const own = plane();
      const { instanceId } = own;
      return { instanceId, run: (action) => perform(own, action), leave: () => own.close() };
    },
    reader: async () => plane(),
    async contents() {
      const store = createMemoryStore({ registry });
      const buckets = Object.values(planeBuckets).map((name) => store.bucket(name).entries());
      return (await Promise.all(buckets)).flatMap((entries) => [...entries.values()]);
    },
  };
}
