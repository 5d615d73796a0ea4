import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

describe("Turns", () => {
  it("does one work after another, and pauses four times as long as each took", async () => {
    const log: string[] = [];
    let now = 0;
    const turns = new Turns({
      now: () => now,
      wait: async (ms) => {
        log.push(`wait ${ms}`);
      },
    });
    const work = (name: string, ms: number) => (): string => {
      now += ms;
      log.push(name);
      return name;
    };
    const results = [turns.take(work("a", 10)), turns.take(work("b", 5)), turns.take(work("c", 0))];
    expect(await Promise.all(results)).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a", "wait 40", "b", "wait 20", "c", "wait 0"]);
  });

  it("goes on after work that failed", async () => {
    const turns = new Turns();
    const failed = turns.take(() => {
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await turns.take(() => 1)).toBe(1);
  });
});
