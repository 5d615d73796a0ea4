import { describe, expect, it } from "vitest";
import { LoraUsage } from "./lora-usage.ts";

describe("LoraUsage", () => {
  it("has nothing until an adapter was used", () => {
    const usage = new LoraUsage();
    usage.record(["a"], [], 1);
    expect([...usage.list()]).toEqual([]);
    usage.markUsed();
    usage.record(["b", "a"], ["c"], 2);
    expect([...usage.list()]).toEqual([{ running: "a,b", waiting: "c", seenAt: 2 }]);
  });

  it("moves the time of a combination that is seen again", () => {
    const usage = new LoraUsage();
    usage.markUsed();
    usage.record(["a"], [], 1);
    usage.record([], [], 2);
    usage.record(["a"], [], 3);
    expect([...usage.list()].map(({ seenAt }) => seenAt)).toEqual([3, 2]);
  });

  it("keeps 256 combinations, the latest", () => {
    const usage = new LoraUsage();
    usage.markUsed();
    for (let time = 0; time < 300; time++) usage.record([`a${time}`], [], time);
    const times = [...usage.list()].map(({ seenAt }) => seenAt);
    expect(times).toHaveLength(256);
    expect(Math.min(...times)).toBe(44);
  });
});
