import { MusterError } from "@muster/core";
import type { KvEndpointDiscoveryOptions } from "@muster/discovery-kv";
import { describe, expect, it } from "vitest";
import { follow, setUp } from "./following.ts";
import { Registrar, served } from "./records.ts";

const [one, two, three] = [served(1, "10.0.0.1"), served(2, "10.0.0.2"), served(3, "10.0.0.3")];
const id = (n: number): string => `ns/backend-generate-${n}`;

describe("a store that is not up at the start [dynamo#1699]", () => {
  it("is waited for, with growing pauses, and the reason is told", async () => {
    const { clock, discovery, writer, opened, lose, restore } = setUp();
    await new Registrar(writer).set([one]);
    await lose();
    const { calls, ready, found } = follow(discovery);
    const tries: number[] = [];
    for (let time = 0; time < 60_000; time += 50) {
      await clock.advance(50);
      while (tries.length < opened.length) tries.push(clock.monotonic());
    }
    const pauses = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
    expect(pauses[0]).toBeLessThanOrEqual(300);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5050);
    expect(Math.min(...pauses.slice(6))).toBeGreaterThanOrEqual(2450);
    expect(new Set(calls)).toEqual(new Set(["degraded STORE_UNAVAILABLE"]));
    expect([ready(), found.size]).toEqual([false, 0]);
    restore();
    await clock.advance(5000);
    expect([...found.keys()]).toEqual([id(1)]);
    expect(calls.slice(-2)).toEqual([`+${id(1)}`, "recovered"]);
    expect(ready()).toBe(true);
  });

  it("the grace time does not count before anything was found", async () => {
    const { clock, discovery, lose, restore, logger } = setUp({ graceTime: "1s" });
    await lose();
    const { calls, ready } = follow(discovery);
    await clock.advance(60_000);
    restore();
    await clock.advance(5000);
    expect([ready(), calls.at(-1)]).toEqual([true, "recovered"]);
    expect(logger.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it.each(["STORE_CONFIG", "STORE_CLIENT", "STORE_URL", "STORE_KEY"] as const)(
    "%s fails the start: waiting would not mend it",
    async (code) => {
      const { discovery, clock } = setUp({
        openStore() {
          throw new MusterError(code, "wrong");
        },
      });
      const { done, calls } = follow(discovery);
      await expect(done).rejects.toMatchObject({ code });
      expect([calls, clock.pending]).toEqual([[], 0]);
    },
  );

  it.each(["STORE_AUTH", "STORE_TLS"] as const)("%s is waited out", async (code) => {
    const { discovery, clock } = setUp({
      openStore: () => Promise.reject(new MusterError(code, "not yet")),
    });
    const { calls, abort } = follow(discovery);
    await clock.advance(10);
    expect(calls).toEqual([`degraded ${code}`]);
    await abort();
    expect(clock.pending).toBe(0);
  });
});

describe("a store that is lost later", () => {
  async function lost(options: Partial<KvEndpointDiscoveryOptions> = {}) {
    const world = setUp(options);
    const registrar = new Registrar(world.writer);
    await registrar.set([one, two]);
    const following = follow(world.discovery);
    await world.clock.advance(0);
    expect(following.found.size).toBe(2);
    await world.lose();
    following.calls.length = 0;
    return { ...world, ...following, registrar };
  }

  it("leaves the endpoints as they are, and says so", async () => {
    const { clock, found, calls, ready } = await lost();
    await clock.advance(9 * 60_000);
    expect([found.size, ready()]).toEqual([2, true]);
    expect(new Set(calls)).toEqual(new Set(["degraded STORE_UNAVAILABLE"]));
  });

  it("takes over the difference when it is back; who stayed is not touched", async () => {
    const { clock, found, calls, registrar, restore } = await lost();
    await clock.advance(60_000);
    await registrar.set([two, three]);
    restore();
    await clock.advance(15_000);
    expect([...found.keys()]).toEqual([id(2), id(3)]);
    const changes = calls.filter((call) => !call.startsWith("degraded"));
    expect(changes).toEqual([`+${id(3)}`, "recovered", `-${id(1)}`]);
  });

  it("keeps whose record is gone for holdTime, and does not touch who registers again", async () => {
    const { clock, found, calls, registrar, restore } = await lost();
    await registrar.set([]);
    restore();
    await clock.advance(5000);
    expect([found.size, calls.at(-1)]).toEqual([2, "recovered"]);
    await registrar.set([two]);
    await clock.advance(6000);
    expect([...found.keys()]).toEqual([id(2)]);
    expect(calls.slice(calls.indexOf("recovered"))).toEqual(["recovered", `-${id(1)}`]);
  });

  it("keeps whose record goes soon after, as leases end that nobody could renew", async () => {
    const { clock, found, registrar, restore } = await lost();
    restore();
    await clock.advance(5000);
    await registrar.set([one]);
    await clock.advance(5000);
    expect(found.size).toBe(2);
    await clock.advance(1000);
    expect([...found.keys()]).toEqual([id(1)]);
    await registrar.set([]);
    await clock.advance(0);
    expect(found.size).toBe(0);
  });

  it("keeps nobody with a holdTime of nothing", async () => {
    const { clock, found, registrar, restore } = await lost({ holdTime: "0s" });
    await registrar.set([two]);
    restore();
    await clock.advance(5000);
    expect([...found.keys()]).toEqual([id(2)]);
  });

  it("has nobody back whose record is gone when it comes after the grace time", async () => {
    const { clock, found, calls, registrar, restore } = await lost({ graceTime: "30s" });
    await clock.advance(40_000);
    await registrar.set([two]);
    restore();
    calls.length = 0;
    await clock.advance(60_000);
    expect([...found.keys()]).toEqual([id(2)]);
    expect(calls.filter((call) => call.startsWith("+"))).toEqual([`+${id(2)}`]);
  });

  it("withdraws them after the grace time, logs it once, and has them back with the store", async () => {
    const { clock, found, calls, restore, logger } = await lost({ graceTime: "90s" });
    await clock.advance(85_000);
    expect(found.size).toBe(2);
    await clock.advance(10_000);
    expect(found.size).toBe(0);
    await clock.advance(600_000);
    const errors = logger.lines.filter(({ level }) => level === "error");
    expect(errors.map(({ fields }) => fields.endpoints)).toEqual([2]);
    restore();
    await clock.advance(5000);
    expect([found.size, calls.at(-1)]).toEqual([2, "recovered"]);
  });

  it("counts each outage by itself", async () => {
    const { clock, found, restore, lose } = await lost({ graceTime: "90s" });
    await clock.advance(80_000);
    restore();
    await clock.advance(5000);
    await lose();
    await clock.advance(80_000);
    expect(found.size).toBe(2);
  });

  it("keeps them for ever if told to", async () => {
    const { clock, found } = await lost({ graceTime: "forever" });
    for (let day = 0; day < 3; day++) await clock.advance(3_600_000);
    expect(found.size).toBe(2);
  });

  it("has a new grace time of nothing too", async () => {
    const { clock, found } = await lost({ graceTime: "0s" });
    await clock.advance(0);
    expect(found.size).toBe(0);
  });
});
