import type { Random } from "../../random.ts";
import { installPools, resources, uninstallPools } from "../objects.ts";
import type { FakeWorld } from "../world.ts";
import type { Model } from "./model.ts";
import type { Step } from "./steps.ts";

/** What happens to the server, the way to it, and its kinds. */
export function failures(world: FakeWorld, model: Model, random: Random): Step[] {
  const { server } = world;
  const { faults } = server;
  const of = (name: string, weight: number, happen: () => unknown): Step => ({
    name,
    weight,
    async run() {
      await happen();
      return true;
    },
  });
  const failing = (status: number): void =>
    faults.fail({
      verb: random.pick(["list", "watch"]),
      resource: random.pick(["pods", "endpointslices", "inferencepools"]),
      status,
      times: 1 + random.below(4),
    });
  return [
    of("a moment passes", 20, async () => {
      for (let reads = random.below(40); reads > 0; reads -= 1) await read(world);
    }),
    of("watches break", 4, () => faults.dropWatches()),
    of("watches end", 2, () => faults.endWatches()),
    of("watches fall silent", 2, () => faults.silence()),
    of("watches speak", 2, () => faults.speak()),
    of("garbage", 3, () =>
      faults.garbage(random.pick([undefined, '{"type":"ADDED"}', "[]", '""'])),
    ),
    of("ERROR event", 2, () => faults.errorEvent(random.pick([500, 429, 504]))),
    of("410 by event", 3, () => faults.errorEvent(410, "Expired")),
    of("compaction", 3, () => faults.compact(random.pick(["event", "status"]))),
    of("deletions are lost", 4, () => faults.loseDeletions(1 + random.below(3))),
    of("500", 4, () => failing(500)),
    of("429", 1, () => failing(429)),
    of("410 by status", 2, () => failing(410)),
    of("slow lists", 1, () => faults.slowLists(random.below(30))),
    of("restart", 2, () => restart(world)),
    of("kind is removed", 1, async () => {
      await uninstallPools(world.api, resources.pools);
      model.forgetPool("pools");
      faults.dropWatches();
      await installPools(world.api, resources.pools);
    }),
  ];
}

/** Ends all connections and comes back; waits until the test can reach it again. */
async function restart(world: FakeWorld): Promise<void> {
  const { server } = world;
  await server.stop();
  await server.start();
  for (let tries = 1; ; tries += 1)
    try {
      return await read(world);
    } catch (error) {
      // a connection that was kept may only now be seen to be closed
      if (tries === 10) throw error;
    }
}

async function read({ api }: FakeWorld): Promise<void> {
  await api.request({ path: "/api/v1/namespaces/default" });
}
