import { isPending, settled, verify, verifyEqual, verifyFails } from "../verify.ts";
import { bucketName, eventuallyHolds, type StoreTest, verifyEntries } from "./bench.ts";

/** A client from its first call to its last. */
export function lifecycleTests(test: StoreTest): void {
  identityTests(test);
  closeTests(test);
  ownershipTests(test);
}

function identityTests(test: StoreTest): void {
  test("has a type, an id of 64 bits that is its own, and answers a check", async (bench) => {
    const stores = [await bench.client(), await bench.client()];
    for (const store of stores) {
      verify(store.type !== "", "type must not be empty");
      const id = store.connectionId;
      verify(
        typeof id === "bigint" && id > 0n && id < 2n ** 64n,
        `connectionId must fit, is ${id}`,
      );
      await settled(store.check(), "check", bench.patience);
      await verifyFails(
        () => store.check({ signal: AbortSignal.abort() }),
        "check with an aborted signal",
        "PLANE_ABORTED",
      );
      verify(await isPending(store.closed), "closed must be pending while the store is open");
    }
    verify(stores[0]?.connectionId !== stores[1]?.connectionId, "two clients must differ in id");
  });
}

function closeTests(test: StoreTest): void {
  test("takes its own keys away when it closes, and no others", async (bench) => {
    const [leaving, staying] = [await bench.client(), await bench.bucket()];
    await leaving.bucket(bucketName).create("theirs/1", "1");
    await leaving.bucket(bucketName).create("theirs/2", "1");
    await leaving.bucket("v1/mdc").create("card", "1");
    await staying.create("mine", "1");
    const log = await bench.watch(staying);
    await settled(leaving.close(), "close", bench.patience);
    const { patience } = bench;
    await eventuallyHolds(staying, { mine: "1" }, { what: "entries after close", patience });
    await log.sees({ mine: "1" }, "the watch of another client");
    const cards = await bench.bucket("v1/mdc");
    await eventuallyHolds(cards, {}, { what: "entries of another bucket", patience });
  });

  test("ends its watches when it closes", async (bench) => {
    const store = await bench.client();
    const logs = [
      await bench.watch(store.bucket(bucketName)),
      await bench.watch(store.bucket("v1/mdc")),
    ];
    for (const log of logs) await log.sees({}, "a watch before close");
    await store.close();
    for (const log of logs) await log.ends("a watch of a closed store");
  });

  test("closes once however often it is asked, and says so", async (bench) => {
    const [one, two] = [await bench.client(), await bench.client()];
    await Promise.all([one.close(), one.close()]);
    await one.close();
    verifyEqual(await settled(one.closed, "closed", bench.patience), undefined, "its reason");
    await two.bucket(bucketName).create("a", "1");
    await two[Symbol.asyncDispose]();
    verifyEqual(await settled(two.closed, "closed", bench.patience), undefined, "its reason");
  });

  test("refuses every call after close", async (bench) => {
    const store = await bench.client();
    const bucket = store.bucket(bucketName);
    await bucket.create("a", "1");
    await store.close();
    const calls: Record<string, () => Promise<unknown>> = {
      check: () => store.check(),
      watch: () => bucket.watch(),
      entries: () => bucket.entries(),
      get: () => bucket.get("a"),
      create: () => bucket.create("b", "1"),
      delete: () => bucket.delete("a"),
      compareAndReplace: () => bucket.compareAndReplace("a", { expected: "1", value: "2" }),
      "get of a new bucket": async () => store.bucket("v1/mdc").get("a"),
    };
    for (const [name, call] of Object.entries(calls))
      await verifyFails(call, `${name} after close`, "STORE_CLOSED");
    await verifyEntries(await bench.bucket(), {});
  });
}

function ownershipTests(test: StoreTest): void {
  test("leaves a key alone at close that another client has created since", async (bench) => {
    const [leaving, staying] = [await bench.client(), await bench.bucket()];
    const theirs = leaving.bucket(bucketName);
    for (const key of ["deleted by itself", "deleted by another"]) await theirs.create(key, "old");
    await theirs.delete("deleted by itself");
    await staying.delete("deleted by another");
    const now = { "deleted by itself": "new", "deleted by another": "new" };
    for (const [key, value] of Object.entries(now)) await staying.create(key, value);
    await theirs.create("own", "1");
    await leaving.close();
    const options = { what: "entries after close", patience: bench.patience };
    await eventuallyHolds(staying, now, options);
  });
}
