import { withInstanceId } from "@muster/core/plane";
import { verifyEqual } from "../verify.ts";
import { type PlaneTest, wire } from "./bench.ts";
import { allOf, endpoint, everyKind, isOf, model, place } from "./records.ts";

/** What unregister takes away, and what it leaves. */
export function unregisterTests(test: PlaneTest): void {
  test("takes every kind of record away, by record and by id, and others with it not", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (const byId of [false, true]) {
      const left = await Promise.all(everyKind.map((spec) => mine.register(spec)));
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        await mine.unregister(byId ? next.id() : next);
        await bench.lists(other, allOf(next.type), []);
        for (const instance of left) await bench.lists(other, allOf(instance.type), [instance]);
      }
    }
  });

  test("takes no offence at a record that is not there", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (const spec of everyKind) {
      await mine.unregister(withInstanceId(spec, mine.instanceId));
      const instance = await mine.register(spec);
      for (let times = 0; times < 2; times++) await mine.unregister(instance);
      await bench.lists(other, allOf(spec.type), []);
    }
  });

  test("takes away what another worker registered", async (bench) => {
    if (bench.harness.unregistersOthers === false) return;
    const [mine, other] = [await bench.client(), await bench.client()];
    const [theirs, own] = [await other.register(endpoint()), await mine.register(endpoint())];
    await mine.unregister(theirs);
    await bench.lists(other, { type: "AllEndpoints" }, [own]);
    verifyEqual(wire([await other.register(endpoint())]), wire([theirs]), "registered once more");
    await bench.lists(mine, { type: "AllEndpoints" }, [own, theirs]);
  });

  test("takes an adapter away and leaves its base model, and the other way round", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const base = await mine.register(model({ display_name: "base" }));
    const adapter = (name: string): ReturnType<typeof model> =>
      model({ display_name: name, lora: { name }, source_path: "base" }, name);
    const [one, two] = [await mine.register(adapter("one")), await mine.register(adapter("two"))];
    verifyEqual(isOf("Model", one).modelSuffix, "one", "suffix");
    await bench.lists(other, { type: "EndpointModels", ...place }, [base, one, two]);
    // an unload knows the name alone, not the card
    await mine.unregister(withInstanceId(model(null, "one"), mine.instanceId));
    await bench.lists(other, { type: "EndpointModels", ...place }, [base, two]);
    await mine.unregister(base);
    await bench.lists(other, { type: "EndpointModels", ...place }, [two]);
  });

  test("registers another value after the first was taken away", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    for (let port = 8000; port < 8004; port++) {
      const instance = await mine.register(endpoint(place, port));
      verifyEqual(
        wire([instance]),
        wire([withInstanceId(endpoint(place, port), mine.instanceId)]),
        "record",
      );
      await bench.lists(other, { type: "AllEndpoints" }, [instance]);
      await mine.unregister(instance);
    }
    await bench.lists(other, { type: "AllEndpoints" }, []);
  });
}
