import { createFakeClock, type FakeClock } from "@muster/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import type { Message } from "./message.ts";
import { Roster } from "./roster.ts";

const ttl = 10_000;
const heartbeat = 1000;
let clock: FakeClock;
let roster: Roster;
let said: string[];
let sequence: number;

beforeEach(() => {
  clock = createFakeClock();
  roster = new Roster({ clock, ttl, heartbeat });
  said = [];
  sequence = 0;
  roster.listen((owner, alive) => said.push(`${owner} ${alive ? "lives" : "died"}`));
  roster.beginSnapshot();
});

const lease = (state: Message["state"] = "present", value = JSON.stringify({ ttl })): Message => ({
  ...{ subject: "", sequence: ++sequence, time: 0, owner: undefined },
  state,
  value,
});

/** Time in which the server is heard of. */
const pass = async (ms: number, each?: () => void): Promise<void> => {
  for (let left = ms; left > 0; left -= heartbeat) {
    await clock.advance(Math.min(left, heartbeat));
    each?.();
    roster.activity();
  }
};

describe("Roster", () => {
  it("takes an owner for dead whose lease is not renewed in its time", async () => {
    roster.hear("a", lease());
    await pass(ttl - 1);
    expect([roster.alive("a"), said]).toEqual([true, []]);
    await pass(3 * heartbeat);
    expect([roster.alive("a"), said]).toEqual([false, ["a died"]]);
  });

  it("keeps who renews, and says nothing of it", async () => {
    await pass(5 * ttl, () => roster.hear("a", lease()));
    expect([roster.alive("a"), said]).toEqual([true, []]);
  });

  it("brings back who renews late", async () => {
    roster.hear("a", lease());
    await pass(2 * ttl);
    roster.hear("a", lease());
    expect(said).toEqual(["a died", "a lives"]);
  });

  it("goes by the lifetime that the lease says, by ours when it says none", async () => {
    roster.hear("short", lease("present", '{"ttl":3000}'));
    for (const [owner, text] of Object.entries({ a: "", b: "null", c: '{"ttl":1e999}', d: "[" }))
      roster.hear(owner, lease("present", text));
    await pass(6000);
    expect(said).toEqual(["short died"]);
    await pass(ttl);
    expect(said.slice(1).sort()).toEqual(["a died", "b died", "c died", "d died"]);
  });

  it("kills nobody while the server is not heard of, nor right after", async () => {
    roster.hear("a", lease());
    await clock.advance(100 * ttl);
    expect(roster.alive("a")).toBe(true);
    roster.activity();
    await pass(ttl - 1);
    expect(roster.alive("a")).toBe(true);
    await pass(3 * heartbeat);
    expect(roster.alive("a")).toBe(false);
  });

  it("takes the age of leases into account when it begins", async () => {
    roster.hear("young", lease(), 4000);
    roster.hear("old", lease(), ttl + 1);
    expect([roster.alive("young"), roster.alive("old")]).toEqual([true, false]);
    await pass(8000);
    expect(roster.alive("young")).toBe(false);
  });

  it("gives who was known to live their time again after an outage", async () => {
    roster.hear("known", lease());
    await clock.advance(5 * ttl);
    roster.beginSnapshot();
    roster.hear("known", lease(), 5 * ttl);
    roster.hear("unknown", lease(), 5 * ttl);
    expect([roster.alive("known"), roster.alive("unknown")]).toEqual([true, false]);
    await pass(ttl + 3 * heartbeat);
    expect(roster.alive("known")).toBe(false);
  });

  it("presumes who was never heard of alive, for our lifetime", async () => {
    expect(roster.alive("new")).toBe(true);
    await pass(ttl + 3 * heartbeat);
    expect(roster.alive("new")).toBe(false);
  });

  it("believes a mark at once, and a lease after it", () => {
    roster.hear("a", lease());
    roster.hear("a", lease("deleted"));
    expect([roster.alive("a"), roster.isBuried("a")]).toEqual([false, true]);
    roster.hear("a", lease());
    expect([roster.alive("a"), roster.isBuried("a")]).toEqual([true, false]);
  });

  it("names the dead whose leases are not marked, with what they must not have changed", async () => {
    roster.hear("a", lease());
    roster.hear("b", lease("expired"));
    await pass(ttl + 3 * heartbeat);
    expect(roster.unburied(60_000)).toEqual([]);
    expect(roster.unburied(0)).toEqual([{ owner: "a", sequence: 1 }]);
  });

  it("forgets the dead in the end, and leaves no timer", async () => {
    roster.hear("a", lease());
    await pass(ttl + 3 * heartbeat);
    await clock.advance(3_700_000);
    expect(roster.unburied(0)).toEqual([]);
    roster.hear("b", lease());
    roster.stop();
    expect(clock.pending).toBe(0);
  });
});
