import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fast, Rig } from "./rig.ts";

/** Objects that random histories are about. */
const names = ["a", "b", "c", "d"];
const name = fc.constantFrom(...names);

type Step = readonly [what: string, name?: string];

const change: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant("create"), name),
  fc.tuple(fc.constant("change"), name),
  fc.tuple(fc.constant("remove"), name),
  fc.tuple(fc.constant("replace"), name),
);
const fault: fc.Arbitrary<Step> = fc
  .constantFrom(
    "drop",
    "end",
    "garbage",
    "silence",
    "speak",
    "410",
    "500",
    "compact",
    "compact and drop",
    "lose",
    "list fails",
    "watch fails",
    "restart",
    "pause",
  )
  .map((what) => [what] as const);

/** One random history, and what was ever there. */
class History {
  readonly #rig: Rig;
  readonly uids = new Set<string>();

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async take([what, target = ""]: Step): Promise<void> {
    const there = await this.#rig.truth();
    if (what === "create" && !there.has(target)) await this.#rig.create(target);
    else if (there.has(target)) {
      if (what === "change") await this.#rig.change(target, String(Math.random()));
      if (what === "remove" || what === "replace") await this.#rig.remove(target);
      if (what === "replace") await this.#rig.create(target);
    } else await this.#break(what);
    for (const uid of (await this.#rig.truth()).values()) this.uids.add(uid);
  }

  async #break(what: string): Promise<void> {
    const { server } = this.#rig;
    const { faults } = server;
    if (what === "drop") faults.dropWatches();
    if (what === "end") faults.endWatches();
    if (what === "garbage") faults.garbage();
    if (what === "silence") faults.silence();
    if (what === "speak") faults.speak();
    if (what === "410") faults.errorEvent(410, "Expired");
    if (what === "500") faults.errorEvent(500);
    if (what.startsWith("compact")) faults.compact(Math.random() < 0.5 ? "event" : "status");
    if (what === "compact and drop") faults.dropWatches();
    if (what === "lose") faults.loseDeletions(2);
    if (what === "list fails") faults.fail({ verb: "list", status: 500, times: 2 });
    if (what === "watch fails") faults.fail({ verb: "watch", status: 500, times: 2 });
    if (what === "restart") {
      await server.stop();
      await server.start();
    }
    // the reader gets a turn, and may find what the faults left
    if (what === "pause") await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("any history of changes and faults", () => {
  it("ends at what is there, and never shows what was not", { timeout: 120_000 }, async () => {
    const steps = fc.array(fc.oneof(change, change, fault), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await using rig = await Rig.open();
        const reader = rig.read({ ...fast, silence: 300, relist: 250 });
        const told = new History(rig);
        for (const step of history) await told.take(step);
        rig.server.faults.heal();
        const truth = await rig.truth();
        const view = () => Object.fromEntries(reader.objects);
        await expect.poll(view, { timeout: 8000, interval: 5 }).toEqual(Object.fromEntries(truth));
        await reader.follows();
        for (const event of reader.events)
          if (event.type !== "Synced") expect(told.uids).toContain(event.object.metadata.uid);
      }),
      { numRuns: 25 },
    );
  });
});
