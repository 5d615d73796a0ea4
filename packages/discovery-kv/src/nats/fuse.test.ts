import { MusterError } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { bounded, untilLost } from "./bounded.ts";
import { Fuse, pause } from "./fuse.ts";

const lost = new MusterError("STORE_UNAVAILABLE", "lost");
const never = new Promise<never>(() => undefined);

describe("Fuse", () => {
  it("tells once, also those who come late, and nobody who has left", () => {
    const fuse = new Fuse();
    const told: string[] = [];
    fuse.listen(() => told.push("first"));
    fuse.listen(() => told.push("left"))();
    fuse.blow(lost);
    fuse.blow(new MusterError("STORE_CLOSED", "another"));
    fuse.listen(({ message }) => told.push(message));
    expect(told).toEqual(["first", "lost"]);
    expect(() => fuse.throwIfBlown()).toThrow(lost);
  });
});

describe("waiting", () => {
  it("ends by time, by abort or by loss, and leaves no timer", async () => {
    const clock = createFakeClock();
    const bound = { clock, timeout: 1000, what: "asking" };
    const late = bounded(never, bound);
    const code = (text: string) => expect.objectContaining({ code: text });
    const [controller, fuse] = [new AbortController(), new Fuse()];
    const aborted = bounded(never, { ...bound, signal: controller.signal });
    const gone = bounded(never, { ...bound, lost: fuse });
    const ends = [
      expect(late).rejects.toThrow(code("STORE_TIMEOUT")),
      expect(aborted).rejects.toThrow(code("PLANE_ABORTED")),
      expect(gone).rejects.toThrow(lost),
      expect(untilLost(never, fuse)).rejects.toThrow(lost),
    ];
    controller.abort();
    fuse.blow(lost);
    await clock.advance(1000);
    await Promise.all(ends);
    expect(await bounded(Promise.resolve(1), bound)).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it("is over early when somebody says so", async () => {
    const clock = createFakeClock();
    const fuse = new Fuse();
    const waiting = pause(clock, 1000, (wake) => fuse.listen(wake));
    fuse.blow(lost);
    await waiting;
    expect(clock.pending).toBe(0);
  });
});
