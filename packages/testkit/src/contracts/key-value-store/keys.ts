import { verify, verifyEqual } from "../verify.ts";
import { type StoreTest, verifyEntries } from "./bench.ts";

const racers = 8;

/** Single keys: create-if-absent, get, compare-and-replace, delete. */
export function keyTests(test: StoreTest): void {
  createTests(test);
  replaceTests(test);
  deleteTests(test);
}

function createTests(test: StoreTest): void {
  test("creates a key once and leaves the value of a second creation alone", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    verifyEqual(await mine.get("a/b"), undefined, "a key that is not there");
    verifyEqual(await mine.create("a/b", "first"), true, "the first creation");
    verifyEqual(await mine.create("a/b", "second"), false, "a second creation");
    verifyEqual(await other.create("a/b", "third"), false, "a creation by another client");
    verifyEqual(await other.get("a/b"), "first", "the value another client reads");
  });

  test("lets exactly one of several clients create a key", async (bench) => {
    const [one, two] = [await bench.bucket(), await bench.bucket()];
    for (let round = 0; round < 5; round++) {
      const key = `race/${round}`;
      const creations = Array.from({ length: racers }, (_, index) =>
        (index % 2 === 0 ? one : two).create(key, `value ${index}`),
      );
      const winners = (await Promise.all(creations)).flatMap((won, index) => (won ? [index] : []));
      verifyEqual(winners.length, 1, `creations that succeeded in round ${round}`);
      verifyEqual(await one.get(key), `value ${winners[0]}`, "the value, by the winner");
    }
  });

  test("keeps buckets apart", async (bench) => {
    const store = await bench.client();
    const [instances, cards] = [store.bucket("v1/instances"), store.bucket("v1/mdc")];
    verifyEqual(instances.name, "v1/instances", "name");
    await instances.create("a", "an instance");
    verifyEqual(await cards.get("a"), undefined, "the key in another bucket");
    verifyEqual(await cards.create("a", "a card"), true, "creation in another bucket");
    await verifyEntries(instances, { a: "an instance" });
    await verifyEntries(store.bucket("v1/inst"), {}, "entries of a bucket with a shorter name");
    await verifyEntries(store.bucket("v1/instances2"), {}, "entries of one with a longer name");
  });
}

function replaceTests(test: StoreTest): void {
  test("replaces a value that is what it was, and no other", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("a", "1");
    const replace = (expected: string, value: string): Promise<boolean> =>
      mine.compareAndReplace("a", { expected, value });
    verifyEqual(await replace("0", "2"), false, "a replacement of another value");
    verifyEqual(await other.get("a"), "1", "the value after it");
    verifyEqual(await replace("1", "2"), true, "a replacement of the value there is");
    verifyEqual(await other.get("a"), "2", "the value after it");
    verifyEqual(await replace("2", "2"), true, "a replacement by the same value");
    verifyEqual(await replace("1", "3"), false, "a second replacement of the old value");
  });

  test("replaces nothing where nothing is", async (bench) => {
    const bucket = await bench.bucket();
    const change = { expected: "", value: "new" };
    verifyEqual(await bucket.compareAndReplace("a", change), false, "a replacement of nothing");
    verifyEqual(await bucket.get("a"), undefined, "the key after it");
    await bucket.create("b", "1");
    await bucket.delete("b");
    const late = { expected: "1", value: "2" };
    verifyEqual(await bucket.compareAndReplace("b", late), false, "a replacement after removal");
    await verifyEntries(bucket, {});
  });

  test("loses no update of clients that race", async (bench) => {
    const clients = [await bench.bucket(), await bench.bucket()];
    await clients[0]?.create("count", "0");
    const rounds = 10;
    const counts = clients.map(async (bucket) => {
      for (let done = 0; done < rounds; ) {
        const expected = await bucket.get("count");
        verify(expected !== undefined, "the key must stay while it is replaced");
        const value = String(Number(expected) + 1);
        if (await bucket.compareAndReplace("count", { expected, value })) done++;
      }
    });
    await Promise.all(counts);
    verifyEqual(await clients[0]?.get("count"), String(rounds * clients.length), "the sum");
  });
}

function deleteTests(test: StoreTest): void {
  test("deletes whoever wrote it, and says whether it was there", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("a", "1");
    await mine.create("a/b", "2");
    verifyEqual(await other.delete("a"), true, "the deletion of what another client wrote");
    verifyEqual(await other.delete("a"), false, "a second deletion");
    verifyEqual(await mine.delete("never/there"), false, "a deletion of nothing");
    verifyEqual(await mine.get("a"), undefined, "the key after it");
    await verifyEntries(mine, { "a/b": "2" });
  });

  test("creates again what was deleted", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    for (const value of ["1", "2", "3"]) {
      verifyEqual(await mine.create("a", value), true, `creation of ${value}`);
      verifyEqual(await other.get("a"), value, "the value");
      verifyEqual(await other.delete("a"), true, `deletion of ${value}`);
    }
    await verifyEntries(mine, {});
  });
}
