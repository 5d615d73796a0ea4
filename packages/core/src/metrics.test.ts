import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createMetrics,
  formatMetrics,
  type MetricsPatch,
  mergeMetrics,
  metricsFields,
} from "./metrics.ts";

const counts = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor")),
  fc.nat(),
);
const size = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const known: fc.Arbitrary<MetricsPatch> = fc.record(
  {
    activeModels: counts,
    waitingModels: counts,
    maxActiveModels: size,
    runningRequestsSize: size,
    waitingQueueSize: size,
    kvCacheUsagePercent: size,
    kvCacheMaxTokenCapacity: size,
    cacheBlockSize: size,
    cacheNumBlocks: size,
  },
  { requiredKeys: [] },
);
/** Some fields with values, some made unknown. */
const patches: fc.Arbitrary<MetricsPatch> = fc
  .tuple(known, fc.subarray([...metricsFields]))
  .map(([patch, forget]) =>
    Object.assign({}, patch, Object.fromEntries(forget.map((field) => [field, undefined]))),
  );

describe("createMetrics", () => {
  it("section 1: knows nothing at first: unknown is undefined, never 0", () => {
    const metrics = createMetrics();
    for (const field of metricsFields) expect(metrics[field]).toBeUndefined();
    expect(metrics.updateTime).toBeUndefined();
    expect(metrics.readAt).toEqual({});
  });
});

describe("mergeMetrics", () => {
  it("equals a plain merge of any patches, and remembers when each field was read", () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 6 }), (list) => {
        let metrics = createMetrics();
        const model = new Map<string, { value: unknown; at: number }>();
        for (const [at, patch] of list.entries()) {
          metrics = mergeMetrics(metrics, patch, at);
          for (const [field, value] of Object.entries(patch))
            value === undefined ? model.delete(field) : model.set(field, { value, at });
        }
        for (const field of metricsFields) {
          const expected = model.get(field)?.value;
          if (typeof expected === "object" && expected !== null)
            expect(Object.entries(metrics[field] ?? {})).toEqual(Object.entries(expected));
          else expect(metrics[field]).toBe(expected);
          expect(metrics.readAt[field]).toBe(model.get(field)?.at);
        }
      }),
    );
  });

  it("gives a frozen value and leaves the one before alone", () => {
    const before = createMetrics({ waitingQueueSize: 1 }, 10);
    const after = mergeMetrics(before, { waitingQueueSize: 2 }, 20);
    expect(before).toMatchObject({
      waitingQueueSize: 1,
      updateTime: 10,
      readAt: { waitingQueueSize: 10 },
    });
    for (const part of [after, after.readAt]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("section 8: updateTime moves only if something was updated", () => {
    const before = createMetrics({ waitingQueueSize: 1, runningRequestsSize: 1 }, 10);
    expect(mergeMetrics(before, {}, 20)).toBe(before);
    expect(mergeMetrics(before, { waitingQueueSize: 1 }, 20).updateTime).toBe(20);
    const forgotten = mergeMetrics(before, { waitingQueueSize: undefined }, 20);
    expect(forgotten).toMatchObject({
      waitingQueueSize: undefined,
      updateTime: 10,
      readAt: { runningRequestsSize: 10 },
    });
  });

  it("ignores keys that are no fields", () => {
    const hostile = JSON.parse('{"__proto__": {"waitingQueueSize": 7}, "other": 1}');
    expect(mergeMetrics(createMetrics(), hostile, 1)).toBe(createMetrics());
  });

  it.each(["plain", "frozen"])(
    "section 1: keeps %s model names as data and copies them",
    (kind) => {
      const names: Record<string, number> = JSON.parse('{"__proto__": 0, "base": 1}');
      if (kind === "frozen") Object.freeze(names);
      const { activeModels } = createMetrics({ activeModels: names });
      if (kind === "plain") names.late = 1;
      expect(Object.keys(activeModels ?? {})).toEqual(["__proto__", "base"]);
      expect(activeModels?.constructor).toBeUndefined();
      expect(Object.isFrozen(activeModels)).toBe(true);
    },
  );
});

describe("a value that cannot be meant", () => {
  it.each(metricsFields)(
    "is refused as %s with a code, and nothing of the patch is stored",
    (field) => {
      const isCounts = field === "activeModels" || field === "waitingModels";
      const before = createMetrics({ waitingQueueSize: 1 }, 10);
      for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, "3", null]) {
        const patch = { cacheBlockSize: 16, [field]: isCounts ? { a: value } : value };
        expect(() => mergeMetrics(before, patch as MetricsPatch, 20)).toThrow(
          expect.objectContaining({ code: "METRICS_INVALID", path: field }),
        );
      }
      const other = (isCounts ? 3 : {}) as MetricsPatch;
      expect(() => mergeMetrics(before, { [field]: other }, 20)).toThrow(/undefined for unknown/);
      const nan = { [field]: isCounts ? { a: Number.NaN } : Number.NaN };
      expect(() => mergeMetrics(before, nan, 20)).toThrow(/NaN/);
      expect(before).toMatchObject({ waitingQueueSize: 1, updateTime: 10 });
    },
  );
});

describe("metrics of a value read before", () => {
  it("are taken over without a copy", () => {
    const before = createMetrics({ activeModels: { a: 0 } });
    const after = mergeMetrics(before, { activeModels: before.activeModels }, 1);
    expect(after.activeModels).toBe(before.activeModels);
  });
});

describe("formatMetrics", () => {
  it("shows known fields alone", () => {
    expect(formatMetrics(createMetrics())).toBe("unknown");
    expect(formatMetrics(createMetrics({ waitingQueueSize: 3, activeModels: { a: 0 } }))).toBe(
      'activeModels={"a":0} waitingQueueSize=3',
    );
  });
});
