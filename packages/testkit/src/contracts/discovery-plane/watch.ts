import type { DiscoveryInstance } from "@muster/core/plane";
import { verify, verifyEqual } from "../verify.ts";
import { PlaneLog, type PlaneTest } from "./bench.ts";
import { allOf, endpoint, everyKind, model, place } from "./records.ts";

const all = { type: "AllEndpoints" } as const;

/** What a watch reports. */
export function watchTests(test: PlaneTest): void {
  startTests(test);
  changeTests(test);
  slowTests(test);
}

function startTests(test: PlaneTest): void {
  test("begins with what is there, then exactly one Resync of it", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const empty = await bench.watch(mine, all);
    await empty.started();
    const there = [await mine.register(endpoint()), await other.register(endpoint())];
    await mine.register(model({ display_name: "m" }));
    const log = await bench.watch(other, all);
    await log.started();
    const types = log.events.map(({ type }) => type);
    verifyEqual(types, ["Added", "Added", "Resync"], "the first events");
    await log.sees(there, "the view after them");
    const [event] = empty.events;
    verifyEqual(event?.type === "Resync" && event.instances.length, 0, "records of an empty plane");
    await empty.sees(there, "a watch of an empty plane, later");
    verifyEqual(empty.count("Resync"), 1, "its Resyncs");
  });

  test("reports differences only when Resync is not wanted", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const first = await mine.register(endpoint());
    const log = await bench.watch(other, all, { resync: false });
    await log.sees([first], "what is there");
    const second = await other.register(endpoint());
    await mine.unregister(first);
    await log.sees([second], "the view after changes");
    verifyEqual(log.count("Resync"), 0, "Resyncs");
    verifyEqual(log.events.length, 3, "events");
  });

  test("misses nothing between set-up and the first read", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const gone = await mine.register(endpoint());
    for (let round = 0; round < 5; round++) {
      const at = { ...place, endpoint: `late-${round}` };
      const stream = await other.listAndWatch(all);
      const late = await mine.register(endpoint(at));
      await mine.unregister(gone);
      const log = new PlaneLog(stream, bench.patience);
      await log.sees([late], `the watch of round ${round}`);
      await mine.unregister(late);
      await log.sees([], "the watch after the removal");
    }
  });
}

function changeTests(test: PlaneTest): void {
  test("reports what comes and goes, of each kind to those who ask for it", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const logs = await Promise.all(everyKind.map(({ type }) => bench.watch(other, allOf(type))));
    const registered: DiscoveryInstance[] = [];
    for (const spec of everyKind) registered.push(await mine.register(spec));
    for (const [index, log] of logs.entries())
      await log.sees(registered.slice(index, index + 1), "a watch of one kind");
    for (const instance of registered) await mine.unregister(instance);
    for (const [index, log] of logs.entries()) {
      await log.sees([], "a watch of one kind after the removal");
      const last = log.events.at(-1);
      verify(last?.type === "Removed", "a removal must be the last event");
      const id = registered[index]?.id();
      verify(id !== undefined && last.id.equals(id), `the removal must name ${id?.key}`);
      verifyEqual(log.events.length, 3, "events of Resync, addition and removal");
    }
  });

  test("shows two workers each other", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const [myLog, theirLog] = [await bench.watch(mine, all), await bench.watch(other, all)];
    const [own, theirs] = [await mine.register(endpoint()), await other.register(endpoint())];
    for (const log of [myLog, theirLog]) await log.sees([own, theirs], "what each of them sees");
    await other.unregister(theirs);
    for (const log of [myLog, theirLog]) await log.sees([own], "what is left");
  });

  test("ends at the new value when a record is taken away and registered anew", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    let instance = await mine.register(endpoint());
    const log = await bench.watch(other, all);
    await log.sees([instance], "what is there");
    for (let port = 9000; port < 9010; port++) {
      await mine.unregister(instance);
      instance = await mine.register(endpoint(place, port));
    }
    await log.sees([instance], "the watch after ten changes");
  });

  test("reports an adapter's removal by its own id, and keeps its base model", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const base = await mine.register(model({ display_name: "m" }));
    const card = { display_name: "a", lora: { name: "a" }, source_path: "m" };
    const adapter = await mine.register(model(card, "a"));
    const log = await bench.watch(other, { type: "EndpointModels", ...place });
    await log.sees([base, adapter], "what is there");
    await mine.unregister(adapter);
    await log.sees([base], "the watch after the removal");
  });

  test("keeps streams apart", async (bench) => {
    const [mine, other] = [await bench.client(), await bench.client()];
    const first = await mine.register(endpoint());
    const logs = [await bench.watch(other, all), await bench.watch(other, all)];
    for (const log of logs) await log.sees([first], "each stream's start");
    await logs[0]?.stop();
    const late = await bench.watch(other, { type: "Endpoint", ...place });
    await mine.unregister(first);
    await logs[1]?.sees([], "a stream after another one was returned");
    await late.sees([], "a stream that began after it");
    verifyEqual(logs[0]?.count("Removed"), 0, "removals in the stream that was returned");
  });
}

function slowTests(test: PlaneTest): void {
  for (const resync of [true, false])
    test(`ends at the truth however slowly it is read, Resync ${resync ? "on" : "off"}`, async (bench) => {
      const [mine, other] = [await bench.client(), await bench.client()];
      const stay = await mine.register(endpoint({ ...place, endpoint: "stay" }));
      const gone = await mine.register(endpoint({ ...place, endpoint: "gone" }));
      const stream = await other.listAndWatch(all, { queueLimit: 4, resync });
      const echo = await bench.watch(other, all);
      await mine.unregister(gone);
      let moved = await mine.register(endpoint(place, 9000));
      for (let port = 9001; port < 9030; port++) {
        await mine.unregister(moved);
        moved = await mine.register(endpoint(place, port));
      }
      const truth = [stay, moved];
      // the other stream has seen all: so has, or had to drop, this one
      await echo.sees(truth, "a stream that was read");
      const log = new PlaneLog(stream, bench.patience);
      await log.sees(truth, "a stream that was not read");
      verify(log.events.length < 20, `60 changes must not all wait, ${log.events.length} did`);
      if (!resync) return verifyEqual(log.count("Resync"), 0, "Resyncs that were not wanted");
      verify(log.count("Resync") > 0, "a reader that was too slow must get a Resync");
      const later = await mine.register(endpoint({ ...place, endpoint: "later" }));
      await log.sees([...truth, later], "the stream after it caught up");
    });
}
