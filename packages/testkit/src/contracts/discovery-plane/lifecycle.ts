import { stopStream } from "../stream-log.ts";
import { settled, verify, verifyEqual, verifyFails } from "../verify.ts";
import { PlaneLog, type PlaneTest } from "./bench.ts";
import { allOf, endpoint, everyKind, model, place } from "./records.ts";

const all = { type: "AllEndpoints" } as const;

/** How watches end, and how workers do. */
export function lifecycleTests(test: PlaneTest): void {
  identityTests(test);
  streamEndTests(test);
  closeTests(test);
}

function identityTests(test: PlaneTest): void {
  test("has an id of 64 bits that is its own, and answers a check", async (bench) => {
    const clients = [await bench.client(), await bench.client()];
    for (const client of clients) {
      const id = client.instanceId;
      verify(typeof id === "bigint" && id >= 0n && id < 2n ** 64n, `instanceId is ${id}`);
      await settled(client.check(), "check", bench.patience);
    }
    verify(clients[0]?.instanceId !== clients[1]?.instanceId, "two workers must differ in id");
  });
}

function streamEndTests(test: PlaneTest): void {
  test("refuses to watch once its signal is aborted", async (bench) => {
    const client = await bench.client();
    await verifyFails(
      () => client.listAndWatch(all, { signal: AbortSignal.abort() }),
      "listAndWatch with an aborted signal",
      "PLANE_ABORTED",
    );
  });

  test("ends a watch quietly when its signal aborts later, and no other", async (bench) => {
    const client = await bench.client();
    const controller = new AbortController();
    const ending = await bench.watch(client, all, { signal: controller.signal });
    const other = await bench.watch(client, all);
    await ending.started();
    controller.abort();
    await ending.ends("an aborted watch");
    const instance = await client.register(endpoint());
    await other.sees([instance], "another watch of the same worker");
    verifyEqual(ending.count("Added"), 0, "records in the watch that was aborted");
  });

  test("ends a watch that is returned, at once", async (bench) => {
    const client = await bench.client();
    const stream = await client.listAndWatch(all);
    await stream.next();
    const waiting = stream.next();
    await stopStream(stream, bench.patience);
    verifyEqual((await settled(waiting, "a read under way", bench.patience)).done, true, "done");
    await client.register(endpoint());
    verifyEqual((await stream.next()).done, true, "done of a later read");
    for await (const event of await client.listAndWatch(all)) {
      verifyEqual(event.type, "Added", "the first event of a loop that is left");
      break;
    }
  });
}

function closeTests(test: PlaneTest): void {
  test("takes away at close what it registered, and nothing else", async (bench) => {
    const [leaving, staying] = [await bench.client(), await bench.client()];
    const log = await bench.watch(staying, all);
    const [own] = [await staying.register(endpoint())];
    for (const spec of everyKind) await leaving.register(spec);
    const theirs = await leaving.register(endpoint({ ...place, endpoint: "second" }));
    await log.shows(() => log.count("Added"), 3, "additions before close");
    await settled(leaving.close(), "close", bench.patience);
    await log.sees([own], "the watch of another worker");
    const removed = log.events.flatMap((event) => (event.type === "Removed" ? [event.id.key] : []));
    verify(removed.includes(theirs.id().key), "removals must name what was taken away");
    for (const { type } of everyKind)
      await bench.lists(staying, allOf(type), type === "Endpoint" ? [own] : []);
  });

  test("ends its watches when it closes", async (bench) => {
    const client = await bench.client();
    const logs = await Promise.all(everyKind.map(({ type }) => bench.watch(client, allOf(type))));
    const unread = await client.listAndWatch(all);
    for (const log of logs) await log.started();
    await client.close();
    for (const log of logs) await log.ends("a watch of a closed worker");
    await new PlaneLog(unread, bench.patience).ends("a watch that nobody read");
  });

  test("closes once however often it is asked", async (bench) => {
    const [one, two] = [await bench.client(), await bench.client()];
    await one.register(endpoint());
    await Promise.all([one.close(), one.close()]);
    await one.close();
    await two[Symbol.asyncDispose]();
    await bench.lists(await bench.client(), all, []);
  });

  test("refuses every call after close", async (bench) => {
    const client = await bench.client();
    const instance = await client.register(model({ display_name: "m" }));
    await client.close();
    const id = instance.id();
    const calls: Record<string, () => Promise<unknown>> = {
      register: () => client.register(endpoint()),
      unregister: () => client.unregister(instance),
      list: () => client.list(all),
      listAndWatch: () => client.listAndWatch(all),
      updateModelTaints: async () => id.type === "Model" && client.updateModelTaints(id, []),
      check: () => client.check(),
    };
    for (const [name, call] of Object.entries(calls))
      await verifyFails(call, `${name} after close`, "PLANE_CLOSED");
    await bench.lists(await bench.client(), { type: "AllModels" }, []);
  });
}
