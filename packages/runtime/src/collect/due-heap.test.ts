import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DueHeap } from "./due-heap.ts";

const time = fc.integer({ min: 0, max: 20 });
const step = fc.oneof(
  fc.record({ do: fc.constant("push"), due: time }),
  fc.record({ do: fc.constant("pop") }),
  fc.record({ do: fc.constant("reschedule"), due: time }),
  fc.record({ do: fc.constant("retain"), parity: fc.nat(1) }),
);

describe("the heap of what is due", () => {
  it("has in front what a sorted list has, after any history", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new DueHeap<{ due: number }>();
        let model: number[] = [];
        for (const it of steps) {
          if ("parity" in it) {
            heap.retain(({ due }) => due % 2 === it.parity);
            model = model.filter((due) => due % 2 === it.parity);
          } else if (it.do === "pop") expect(heap.pop()?.due).toBe(model.shift());
          else if ("due" in it && it.do === "push") {
            heap.push({ due: it.due });
            model.push(it.due);
          } else if ("due" in it) {
            const first = heap.peek();
            if (first !== undefined) {
              heap.reschedule(first, it.due);
              model[0] = it.due;
            }
          }
          model.sort((a, b) => a - b);
          expect([heap.peek()?.due, heap.size]).toEqual([model[0], model.length]);
        }
      }),
    );
  });
});
