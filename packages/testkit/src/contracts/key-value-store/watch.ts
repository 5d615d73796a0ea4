import { verify, verifyEqual } from "../verify.ts";
import { type StoreTest, WatchLog } from "./bench.ts";
import { pathKeys, prefixes, selfNamed } from "./range.ts";

/** What a watch reports. */
export function watchTests(test: StoreTest): void {
  firstTests(test);
  changeTests(test);
  severalTests(test);
}

function firstTests(test: StoreTest): void {
  test("begins a watch with one Resync of what is there", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const empty = await bench.watch(mine);
    await empty.sees({}, "a watch of an empty bucket");
    await mine.create("a", "1");
    await other.create("b/c", "2");
    const log = await bench.watch(other);
    await log.sees({ a: "1", "b/c": "2" }, "a watch of two entries");
    for (const { events } of [empty, log]) {
      verifyEqual(events[0]?.type, "Resync", "the first event");
      const resyncs = events.filter(({ type }) => type === "Resync");
      verifyEqual(resyncs.length, 1, "how many Resyncs there are");
    }
  });

  test("misses nothing that happens right after a watch is established", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("gone", "0");
    for (let round = 0; round < 10; round++) {
      const log = await bench.watch(other);
      await mine.create(`key-${round}`, "1");
      await mine.delete(round === 0 ? "gone" : `key-${round - 1}`);
      await log.sees({ [`key-${round}`]: "1" }, `the watch of round ${round}`);
    }
  });
}

function changeTests(test: StoreTest): void {
  test("follows what other clients create, replace, delete and create again", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const log = await bench.watch(other);
    await mine.create("a", "1");
    await log.sees({ a: "1" }, "the watch after a creation");
    await mine.compareAndReplace("a", { expected: "1", value: "2" });
    await log.sees({ a: "2" }, "the watch after a replacement");
    await other.create("b", "1");
    await log.sees({ a: "2", b: "1" }, "the watch after a creation of its own client");
    await other.delete("a");
    await log.sees({ b: "1" }, "the watch after a deletion");
    await mine.create("a", "3");
    await log.sees({ a: "3", b: "1" }, "the watch after the key was created again");
    verifyEqual(log.events.filter(({ type }) => type === "Resync").length, 1, "Resyncs");
  });

  test("never shows an older value after a newer one", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const log = await bench.watch(other);
    await mine.create("a", "0");
    for (let value = 1; value <= 50; value++)
      await mine.compareAndReplace("a", { expected: String(value - 1), value: String(value) });
    await log.sees({ a: "50" }, "the watch after all replacements");
    const seen = log.valuesOf("a").flatMap((value) => (value === undefined ? [] : [Number(value)]));
    verify(
      seen.every((value, index) => index === 0 || value >= (seen[index - 1] ?? 0)),
      `values must come in order, came ${seen}`,
    );
  });

  test("says that a key is deleted, by a Delete and once", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("a/b", "1");
    const log = await bench.watch(other);
    await mine.delete("a/b");
    await mine.delete("a/b");
    await mine.create("end", "1");
    await log.sees({ end: "1" }, "the watch after the deletion");
    const deletions = log.events.flatMap((event) => (event.type === "Delete" ? [event.key] : []));
    verifyEqual(deletions, ["a/b"], "deletions");
  });

  test("ends at the truth however slowly it is read", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const { harness, patience } = bench;
    const flood = harness.flood ?? 500;
    const stream = await other.watch();
    const values = ["", "", "", ""];
    await mine.create("end", "0");
    for (let change = 0; change < flood; change++) {
      const index = change % values.length;
      const [key, value] = [`key-${index}`, `${change}`];
      const before = values[index] ?? "";
      if (change < values.length) await mine.create(key, value);
      else await mine.compareAndReplace(key, { expected: before, value });
      values[index] = value;
    }
    await mine.delete("key-0");
    const log = new WatchLog(stream, patience);
    const truth = values.map((value, index): [string, string] => [`key-${index}`, value]).slice(1);
    await log.sees([...truth, ["end", "0"]], "a watch that was not read");
    if (harness.flood === undefined) return;
    verify(log.events.length < flood, `${flood} changes must not all wait for a slow reader`);
    const again = log.events.some((event) => event.type === "Resync" && event.entries.has("end"));
    verify(again, "a reader that was too slow must get a Resync");
  });
}

function severalTests(test: StoreTest): void {
  test("gives every watcher of a bucket everything, and watchers of others nothing", async (bench) => {
    const store = await bench.client();
    const mine = await bench.bucket();
    const logs = [
      await bench.watch(store.bucket(mine.name)),
      await bench.watch(store.bucket(mine.name)),
      await bench.watch(mine),
    ];
    const elsewhere = await bench.watch(store.bucket("v1/mdc"));
    await mine.create("a", "1");
    await mine.create("b", "2");
    await mine.delete("a");
    for (const log of logs) await log.sees({ b: "2" }, "a watch of the bucket");
    await store.bucket("v1/mdc").create("c", "3");
    await elsewhere.sees({ c: "3" }, "a watch of another bucket");
    verify(
      elsewhere.events.every((event) => event.type === "Resync" || event.key === "c"),
      "a watch must report its own bucket only",
    );
    await logs[0]?.stop();
    await mine.create("d", "4");
    await logs[1]?.sees({ b: "2", d: "4" }, "a watch after another one was returned");
  });

  test("watches a path: ns1 is not ns10", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("ns1/a", "before");
    await mine.create("ns10/a", "before");
    const early = await bench.watch(other, { prefix: "ns1" });
    await early.sees({ "ns1/a": "before" }, "what a watch of ns1 begins with");
    for (const key of ["ns1/a", "ns10/a"]) await mine.delete(key);
    const logs = await Promise.all(prefixes.map(([prefix]) => bench.watch(other, { prefix })));
    for (const key of pathKeys) await mine.create(key, key);
    await mine.create("zz", "end");
    await logs[0]?.sees([...selfNamed(pathKeys), ["zz", "end"]], "a watch of everything");
    for (const [index, [prefix, keys]] of prefixes.entries())
      if (prefix !== "") await logs[index]?.sees(selfNamed(keys), `a watch of "${prefix}"`);
    for (const key of pathKeys) await mine.delete(key);
    await logs[0]?.sees({ zz: "end" }, "a watch of everything after the deletions");
    for (const [index, [prefix, keys]] of prefixes.entries()) {
      if (prefix === "") continue;
      await logs[index]?.sees({}, `a watch of "${prefix}" after the deletions`);
      const named = logs[index]?.events.flatMap((event) =>
        event.type === "Resync" ? [...event.entries.keys()] : [event.key],
      );
      verify(
        named?.every((key) => keys.includes(key)),
        `a watch of "${prefix}" said ${named}`,
      );
    }
  });
}
