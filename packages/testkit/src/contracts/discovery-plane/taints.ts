import type { DiscoveryInstance, ModelCardInstanceId } from "@muster/core/plane";
import { verify, verifyEqual, verifyFails } from "../verify.ts";
import type { PlaneTest } from "./bench.ts";
import { isOf, model } from "./records.ts";

const card = {
  display_name: "m",
  runtime_config: { kept: 1, taints: ["old"], topology_domains: { rack: "r7", zone: "z1" } },
};
const topology = ["dynamo.topology/rack=r7", "dynamo.topology/zone=z1"];

/** Taints: the one field of a model that changes in place. */
export function taintTests(test: PlaneTest): void {
  test("replaces the taints of a model, sorted, and nothing else of it", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const id = idOf(await mine.register(model(card)));
    const log = await bench.watch(other, { type: "AllModels" });
    await log.started();
    const updated = await mine.updateModelTaints(id, ["z", "busy", "z"]);
    const taints = ["busy", ...topology, "z"];
    const expected = { ...card, runtime_config: { ...card.runtime_config, taints } };
    verifyEqual(isOf("Model", updated).cardJson.value, expected, "the card as it is given back");
    await bench.lists(other, { type: "AllModels" }, [updated]);
    await log.shows(() => log.count("ModelTaintsUpdated"), 1, "how many updates a watch reports");
    const event = log.events.at(-1);
    verify(event?.type === "ModelTaintsUpdated", "an update of taints must be the last event");
    verifyEqual([event.id.key, event.taints], [id.key, taints], "the update");
    await mine.updateModelTaints(id, []);
    await log.shows(() => log.count("ModelTaintsUpdated"), 2, "updates after all taints went");
    const [listed] = await other.list({ type: "AllModels" });
    verify(listed !== undefined, "the model must be listed");
    verifyEqual(taintsOf(listed), topology, "taints that follow from the card");
    verifyEqual(log.count("Added"), 1, "how often it was added");
  });

  test("says nothing of taints that stay the same", async (bench) => {
    const mine = await bench.client();
    const id = idOf(await mine.register(model(card)));
    await mine.updateModelTaints(id, ["a", "b"]);
    const log = await bench.watch(mine, { type: "AllModels" });
    await log.started();
    await mine.updateModelTaints(id, ["b", "a", "a"]);
    await mine.updateModelTaints(id, ["c"]);
    await log.shows(() => log.count("ModelTaintsUpdated") > 0, true, "whether there was an update");
    verifyEqual(log.count("ModelTaintsUpdated"), 1, "how many updates there were");
  });

  test("refuses taints of others, of adapters, of the topology, and of nothing", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const base = await mine.register(model(card));
    const adapter = { display_name: "a", lora: { name: "a" }, source_path: "m" };
    const lora = await mine.register(model(adapter, "a"));
    const reserved = ["a", "dynamo.topology/rack=r8"];
    const refusals: Record<string, () => Promise<unknown>> = {
      "another worker's": () => other.updateModelTaints(idOf(base), ["a"]),
      "an adapter's": () => mine.updateModelTaints(idOf(lora), ["a"]),
      "the topology's": () => mine.updateModelTaints(idOf(base), reserved),
    };
    for (const [what, update] of Object.entries(refusals))
      await verifyFails(update, what, "PLANE_TAINT");
    await bench.lists(other, { type: "AllModels" }, [base, lora]);
    await mine.unregister(base);
    const gone = (): Promise<unknown> => mine.updateModelTaints(idOf(base), ["a"]);
    await verifyFails(gone, "taints of a model that is not there", "NOT_FOUND");
    await bench.lists(other, { type: "AllModels" }, [lora]);
  });
}

function idOf(instance: DiscoveryInstance): ModelCardInstanceId {
  return isOf("Model", instance).id();
}

function taintsOf(instance: DiscoveryInstance): unknown {
  const value = isOf("Model", instance).cardJson.value as typeof card;
  return value.runtime_config.taints;
}
