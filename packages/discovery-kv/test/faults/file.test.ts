import { lutimes, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createKvDiscovery, createStore, type StoreConfig } from "@muster/discovery-kv";
import { afterEach, describe, expect, it } from "vitest";
import { makeDirectory } from "../file-world.ts";
import { contentsOf, filesOf } from "../support/file-contents.ts";
import { WorkerPool } from "../support/worker-pool.ts";
import { runHistory } from "./history.ts";
import type { FaultWorld } from "./model.ts";
import { seeds } from "./seeds.ts";

/** As short as the store allows. */
const ttl = 1000;
const hour = 3_600_000;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

function createFileWorld(): FaultWorld {
  const directory = makeDirectory();
  const root = join(directory.path, "root");
  const config: StoreConfig = { type: "file", root, ttl };
  let wiped = 0;
  const workers = new WorkerPool(config);
  cleanUp.push(workers.close, () => directory.remove());
  return {
    // the stated time, a TTL and a period of a third of it, and as much again as a busy machine takes
    patience: 10 * ttl,
    worker: workers.take,
    reader: async () => createKvDiscovery(await createStore(config)),
    contents: () => contentsOf(root),
    faults: [
      {
        name: "directory wiped",
        begin: async () => {
          // in one step: of single files that vanish nobody knows that they were not unregistered
          const old = join(directory.path, `old-${++wiped}`);
          await rename(root, old);
          await rm(old, { recursive: true });
        },
      },
      {
        name: "clock jumps",
        weight: 4,
        begin: async (below) => {
          const jump = below(2) === 0 ? -hour : hour;
          const time = (Date.now() + jump) / 1000;
          // a file may have gone meanwhile
          const touch = (path: string): Promise<unknown> => lutimes(path, time, time).catch(String);
          await Promise.all((await filesOf(root)).map(touch));
        },
      },
    ],
  };
}

describe("any history on the file store ends in agreement", () => {
  it.each(seeds(1, 2))(
    "seed %i",
    async (seed) => {
      const tally = await runHistory({ world: createFileWorld(), seed, steps: 150 });
      console.log(`file, seed ${seed}:`, tally);
      const faults = ["kill -9", "kill -9 during a write", "restart", "SIGSTOP"];
      for (const fault of [...faults, "directory wiped", "clock jumps"])
        expect(tally[fault], fault).toBeGreaterThan(0);
    },
    120_000,
  );
});
