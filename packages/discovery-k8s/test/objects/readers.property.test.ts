import fc from "fast-check";
import { it } from "vitest";
import { Reading } from "./reading.ts";
import { configMaps, openFakeWorld } from "./world.ts";

const name = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("put" as const), name }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("join" as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("leave" as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("drop" as const), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("loseAndDrop" as const), name }) },
);

it("shows every reader what is there, whenever it came and whatever was missed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const world = await openFakeWorld();
      const { faults } = world.server;
      const watcher = world.watcher();
      const truth = new Map<string, string>();
      const readings = [new Reading(watcher, configMaps)];
      let mark = 0;
      for (const { act, name } of steps) {
        if (act === "put") {
          mark += 1;
          await world.put(name, String(mark));
          truth.set(name, String(mark));
        } else if (act === "remove" || act === "loseAndDrop") {
          if (!truth.delete(name)) continue;
          if (act === "loseAndDrop") faults.loseDeletions(1);
          await world.remove(name);
          if (act === "loseAndDrop") faults.dropWatches();
        } else if (act === "drop") faults.dropWatches();
        else if (act === "join") readings.push(new Reading(watcher, configMaps));
        else await readings.pop()?.stop();
      }
      faults.heal();
      // what an open watch was not told of is found by the next list
      faults.errorEvent(410, "Expired");
      readings.push(new Reading(watcher, configMaps));
      for (const reading of readings) await reading.shows(Object.fromEntries(truth));
      await world.close();
    }),
    { numRuns: 25 },
  );
}, 60_000);
