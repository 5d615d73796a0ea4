import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "./kube-object.ts";
import { PendingEvents } from "./pending-events.ts";

interface Numbered extends KubeObject {
  readonly version?: number;
}

const object = (name: string, version?: number): Numbered => ({
  metadata: { name },
  ...(version !== undefined && { version }),
});

/** What a reader believes after the events it has read. */
class Reader {
  readonly objects = new Map<string, number | undefined>();
  synced = 0;

  read(pending: PendingEvents<Numbered>, count = Number.POSITIVE_INFINITY): void {
    for (let left = count; left > 0; left -= 1) {
      const event = pending.next();
      if (event === undefined) return;
      if (event.type === "Synced") this.synced += 1;
      else this.#apply(event.type, event.object);
    }
  }

  #apply(type: "Added" | "Modified" | "Deleted", { metadata, version }: Numbered): void {
    const { name } = metadata;
    expect(`${type} ${this.objects.has(name)}`).toBe(`${type} ${type !== "Added"}`);
    if (type === "Deleted") this.objects.delete(name);
    else this.objects.set(name, version);
  }
}

describe("PendingEvents", () => {
  it("takes no longer for each the more there are", () => {
    // to look from the start each time would be a minute of passing by what was read
    const pending = new PendingEvents<Numbered>();
    const count = 500_000;
    const one = object("a");
    for (let at = 0; at < count; at += 1) pending.upsert(`${at}`, one);
    let read = 0;
    while (pending.next() !== undefined) read += 1;
    expect(read).toBe(count);
  });

  it("says that an object was replaced: deleted, then added", () => {
    const pending = new PendingEvents<Numbered>();
    pending.upsert("a", object("a", 1));
    new Reader().read(pending);
    pending.delete("a", object("a"));
    pending.upsert("a", object("a", 2));
    expect([pending.next()?.type, pending.next()?.type, pending.next()]).toEqual([
      "Deleted",
      "Added",
      undefined,
    ]);
  });

  it("forgets what came and went unseen", () => {
    const pending = new PendingEvents<Numbered>();
    pending.upsert("a", object("a", 1));
    pending.delete("a", object("a"));
    expect(pending.next()).toBeUndefined();
  });

  it("says Synced after all that was there before it, once", () => {
    const pending = new PendingEvents<Numbered>();
    pending.synced();
    pending.upsert("a", object("a", 1));
    pending.synced();
    pending.upsert("b", object("b", 1));
    const types = Array.from({ length: 4 }, () => pending.next()?.type);
    expect(types).toEqual(["Added", "Synced", "Added", undefined]);
  });

  it("leads a reader of any pace to what is there, each step possible", () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant("upsert"), name: fc.constantFrom("a", "b", "c") }),
      fc.record({ act: fc.constant("delete"), name: fc.constantFrom("a", "b", "c") }),
      fc.record({ act: fc.constant("synced"), name: fc.constant("") }),
      fc.record({ act: fc.constant("read"), name: fc.constant("") }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pending = new PendingEvents<Numbered>();
        const truth = new Map<string, number | undefined>();
        const reader = new Reader();
        for (const [index, { act, name }] of steps.entries()) {
          if (act === "read") reader.read(pending, 1 + (index % 3));
          else if (act === "synced") pending.synced();
          else if (act === "delete") {
            truth.delete(name);
            pending.delete(name, object(name));
          } else {
            truth.set(name, index);
            pending.upsert(name, object(name, index));
          }
        }
        reader.read(pending);
        expect(reader.objects).toEqual(truth);
      }),
    );
  });
});
