import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { describeKeyValueStore } from "@muster/testkit";
import { describe, it } from "vitest";

describeKeyValueStore(
  { describe, it },
  {
    flood: 200,
    make: () => {
      const registry = createMemoryRegistry();
      return { client: () => createMemoryStore({ registry, queueLimit: 50 }) };
    },
  },
);
