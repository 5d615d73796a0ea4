import type { Discovery } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import { recordOf } from "../support/records.ts";
import { runHistory } from "./history.ts";
import { createMemoryWorld } from "./memory-world.ts";
import type { FaultWorker, FaultWorld } from "./model.ts";

/** A world in which every reader is changed. */
function readersOf(change: (plane: Discovery) => Partial<Discovery>): FaultWorld {
  const world = createMemoryWorld(100);
  return {
    ...world,
    reader: async () => {
      const plane = await world.reader();
      const bound: Discovery = {
        instanceId: plane.instanceId,
        register: (...args) => plane.register(...args),
        unregister: (...args) => plane.unregister(...args),
        list: (...args) => plane.list(...args),
        listAndWatch: (...args) => plane.listAndWatch(...args),
        updateModelTaints: (...args) => plane.updateModelTaints(...args),
        check: () => plane.check(),
        close: () => plane.close(),
        [Symbol.asyncDispose]: () => plane.close(),
      };
      return { ...bound, ...change(plane) };
    },
  };
}

/** A world in which every worker is changed. */
function workersOf(change: (worker: FaultWorker) => Partial<FaultWorker>): FaultWorld {
  const world = createMemoryWorld(100);
  return {
    ...world,
    worker: async () => {
      const worker = await world.worker();
      return { ...worker, ...change(worker) };
    },
  };
}

const invented = recordOf(7n, "endpoint", 1);

describe("a history fails where", () => {
  it.each<[string, FaultWorld, RegExp]>([
    [
      "records of those who left stay",
      workersOf(() => ({ leave: async () => undefined })),
      /the store lacks \[\] and has \[.+\] too many/,
    ],
    [
      "a registration is lost",
      workersOf(({ run }) => ({
        run: async (action) => {
          if (action.op !== "register" || action.value % 7 > 0) await run(action);
        },
      })),
      /the store lacks \[.+\]/,
    ],
    [
      "a list is stale",
      readersOf((plane) => ({ list: async (query) => [...(await plane.list(query)), invented] })),
      /a list lacks \[\] and has \[.+\] too many/,
    ],
    [
      "a watch says nothing of removals",
      readersOf((plane) => ({
        listAndWatch: async (query) => {
          const stream = await plane.listAndWatch(query);
          return (async function* () {
            for await (const event of stream) if (event.type !== "Removed") yield event;
          })();
        },
      })),
      /a watch lacks \[\] and has \[.+\] too many/,
    ],
    [
      "a watch shows for a moment what nobody registered",
      readersOf((plane) => ({
        listAndWatch: async (query) => {
          const stream = await plane.listAndWatch(query);
          return (async function* () {
            if (query.type === "AllEndpoints") {
              yield { type: "Added", instance: invented } as const;
              yield { type: "Removed", id: invented.id() } as const;
            }
            yield* stream;
          })();
        },
      })),
      /nobody ever registered .+"instance_id":7/,
    ],
    [
      "a watch ends",
      readersOf(() => ({ listAndWatch: async () => (async function* () {})() })),
      /a watch ended by itself/,
    ],
  ])("%s", async (_what, world, problem) => {
    const failed = runHistory({ world, seed: 1, steps: 150 });
    await expect(failed).rejects.toThrow("seed 1");
    const { cause } = (await failed.catch((error: unknown) => error)) as Error;
    expect(String(cause)).toMatch(problem);
  });
});
