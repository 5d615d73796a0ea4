import { join } from "node:path";
import type { KeyValueStore } from "@muster/core/plane";
import { createFileStore } from "@muster/discovery-kv/file";
import { describeKeyValueStore } from "@muster/testkit";
import { describe, it, vi } from "vitest";
import { createMortalClock, type MortalClock, makeDirectory } from "../file-world.ts";

vi.setConfig({ testTimeout: 60_000 });

describeKeyValueStore(
  { describe, it },
  {
    ttl: 1000,
    patience: 10_000,
    make() {
      const directory = makeDirectory();
      const clocks = new Map<KeyValueStore, MortalClock>();
      return {
        client() {
          const clock = createMortalClock();
          const store = createFileStore(
            { root: join(directory.path, "root"), ttl: "1s" },
            { clock },
          );
          clocks.set(store, clock);
          return store;
        },
        kill: (store) => clocks.get(store)?.stop(),
        close: () => directory.remove(),
      };
    },
  },
);
