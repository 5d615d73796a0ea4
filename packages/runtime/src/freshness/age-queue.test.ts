import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Aged, AgeQueue } from "./age-queue.ts";

interface Item extends Aged<Item> {
  readonly name: number;
  reference: number | undefined;
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("success"), name: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove"), name: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.nat(15) }) },
);

describe("the queue of ages", () => {
  it("finds each that turns stale exactly once, and the oldest, after any history", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const thresholds = { staleAfter: 10 };
        const queue = new AgeQueue<Item>();
        const items = Array.from(
          { length: 5 },
          (_, name): Item => ({
            ...{ name, thresholds, reference: undefined, older: undefined, newer: undefined },
          }),
        );
        const model = new Map<Item, { at: number; told: boolean }>();
        let now = 0;
        for (const it of steps) {
          const item = "name" in it ? items[it.name] : undefined;
          if ("ms" in it) now += it.ms;
          else if (item !== undefined && it.do === "success") {
            item.reference = now;
            queue.moveToEnd(item);
            model.delete(item);
            model.set(item, { at: now, told: false });
          } else if (item !== undefined) {
            queue.remove(item);
            model.delete(item);
          }
          const told: number[] = [];
          queue.sweep(now, ({ name }) => told.push(name));
          const expected = [...model].filter(([, entry]) => !entry.told && now - entry.at > 10);
          for (const [, entry] of expected) entry.told = true;
          expect(told).toEqual(expected.map(([{ name }]) => name));
          expect(queue.oldest).toBe([...model.keys()][0]);
        }
      }),
    );
  });
});
