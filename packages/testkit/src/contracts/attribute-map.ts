import {
  type AttributeKey,
  type AttributeMap,
  attributeKey,
  type Cloneable,
  dynamicAttribute,
} from "@muster/core";
import type { TestApi } from "./test-api.ts";
import { verify, verifyEqual, verifyFails } from "./verify.ts";

/** What {@link describeAttributeMap} needs. */
export interface AttributeMapHarness {
  /** An empty map. */
  make(): AttributeMap;
}

interface Reading {
  readonly values: number[];
}

const reading: AttributeKey<Reading> = attributeKey<Reading>(
  "testkit-reading",
  (value): value is Reading => Array.isArray((value as Reading).values),
);
const other: AttributeKey<number> = attributeKey("testkit-other");

/** The contract of an attribute map. */
export function describeAttributeMap(
  { describe, it }: TestApi,
  harness: AttributeMapHarness,
): void {
  describe("attribute map", () => {
    plainTests(it, harness);
    isolationTests(it, harness);
    readTests(it, harness);
    hostileTests(it, harness);
  });
}

type Tests = (it: TestApi["it"], harness: AttributeMapHarness) => void;

const plainTests: Tests = (it, harness) => {
  it("gives back what was put, by key and by name", async () => {
    const map = harness.make();
    map.put(reading, { values: [1, 2] });
    verifyEqual(map.get(reading), { values: [1, 2] }, "by key");
    verifyEqual(map.get("testkit-reading"), { values: [1, 2] }, "by name");
    verifyEqual(map.keys(), ["testkit-reading"], "keys");
    verify(map.get(other) === undefined, "an absent attribute must read as undefined");
  });

  it("ignores an undefined value", async () => {
    const map = harness.make();
    map.put(other, 1);
    map.put(other, undefined);
    verifyEqual(map.get(other), 1, "after putting undefined");
  });

  it("deletes, and says whether there was anything", async () => {
    const map = harness.make();
    map.put(other, 1);
    verifyEqual([map.delete(other), map.delete("testkit-other")], [true, false], "delete");
    verifyEqual(map.keys(), [], "keys");
  });
};

const isolationTests: Tests = (it, harness) => {
  it("is not changed by whoever wrote a value", async () => {
    const map = harness.make();
    const mine: Reading = { values: [1] };
    map.put(reading, mine);
    mine.values.push(2);
    verifyEqual(map.get(reading), { values: [1] }, "after the writer changed its own copy");
  });

  it("is not changed by whoever reads a value", async () => {
    const map = harness.make();
    map.put(reading, { values: [1] });
    tamper(map.get(reading));
    verifyEqual(map.get(reading), { values: [1] }, "after a reader changed what it got");
  });

  it("gives frozen data without a copy", async () => {
    const map = harness.make();
    map.put(reading, { values: [1] });
    const first = map.get(reading);
    verify(first === map.get(reading), "two reads must give the same frozen value");
  });

  it("keeps an object with clone() and gives out clones", async () => {
    const map = harness.make();
    const key = attributeKey<Counter>("testkit-counter");
    map.put(key, new Counter(1));
    const first = map.get(key);
    verify(first instanceof Counter, "an object with clone() must keep its class");
    first.count = 99;
    verifyEqual(map.get(key)?.count, 1, "after a reader changed its clone");
  });
};

const readTests: Tests = (it, harness) => {
  it("reads a value of the wrong shape as absent", async () => {
    const map = harness.make();
    map.put(attributeKey<string>(reading.name), "not a reading");
    verify(map.get(reading) === undefined, "a value the key's guard refuses must read as absent");
  });

  it("asks a dynamic attribute at each read; nothing or a throw reads as absent", async () => {
    const map = harness.make();
    let answer: number | undefined = 1;
    map.put(
      other,
      dynamicAttribute(() => answer),
    );
    verifyEqual(map.get(other), 1, "first read");
    answer = 2;
    verifyEqual(map.get(other), 2, "second read");
    answer = undefined;
    verify(map.get(other) === undefined, "nothing must read as absent");
    map.put(other, dynamicAttribute<number>(fail));
    verify(map.get(other) === undefined, "a getter that throws must read as absent");
  });

  it("clones into an independent map in which dynamic attributes stay dynamic", async () => {
    const map = harness.make();
    let answer = 1;
    map.put(
      other,
      dynamicAttribute(() => answer),
    );
    const copy = map.clone();
    copy.put(reading, { values: [] });
    answer = 2;
    verifyEqual(map.keys(), ["testkit-other"], "keys of the original");
    verifyEqual(copy.get(other), 2, "the dynamic attribute in the copy");
  });
};

const hostileTests: Tests = (it, harness) => {
  it("takes any name and key as data, __proto__ too", async () => {
    const map = harness.make();
    const name = attributeKey<Record<string, unknown>>("__proto__");
    map.put(name, JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'));
    verifyEqual(Object.keys(map.get(name) ?? {}), ["__proto__", "constructor"], "stored keys");
    verify(!("polluted" in {}), "Object.prototype must not change");
    verify(map.get("constructor") === undefined, "names nobody put must read as absent");
  });

  it("refuses what it cannot keep from changing", async () => {
    const map = harness.make();
    for (const value of [() => 1, Symbol("x"), new Date(0), { deep: new Map() }, cycle()])
      await verifyFails(
        () => map.put(attributeKey<unknown>("testkit-bad"), value),
        `put of ${typeof value}`,
        "ATTRIBUTE_INVALID",
      );
    verifyEqual(map.keys(), [], "keys");
  });
};

class Counter implements Cloneable<Counter> {
  count: number;

  constructor(count: number) {
    this.count = count;
  }

  clone(): Counter {
    return new Counter(this.count);
  }
}

function tamper(value: Reading | undefined): void {
  try {
    value?.values.push(99);
  } catch (error) {
    // frozen data refuses; a clone would have taken it
    if (!(error instanceof TypeError)) throw error;
  }
}

function fail(): never {
  throw new Error("from the getter");
}

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
