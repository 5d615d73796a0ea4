import { createFakeClock } from "@muster/testkit";
import { expect, it } from "vitest";
import { createDebounce } from "./debounce.ts";

const make = () => {
  const clock = createFakeClock();
  const runs: number[] = [];
  const run = (): void => void runs.push(clock.monotonic());
  return { clock, runs, debounce: createDebounce({ clock, quiet: 50, max: 250, run }) };
};

it("turns a burst into one run, after the quiet", async () => {
  const { clock, runs, debounce } = make();
  for (let turn = 0; turn < 3; turn++) {
    debounce.call();
    await clock.advance(40);
  }
  await clock.advance(1000);
  expect(runs).toEqual([130]);
});

it("lets a burst without end through after the maximum, time and again", async () => {
  const { clock, runs, debounce } = make();
  for (let turn = 0; turn < 60; turn++) {
    debounce.call();
    await clock.advance(10);
  }
  expect(runs).toEqual([250, 500]);
});

it("forgets what is cancelled, and works on", async () => {
  const { clock, runs, debounce } = make();
  debounce.call();
  debounce.cancel();
  await clock.advance(100);
  debounce.call();
  await clock.advance(100);
  expect([runs, clock.pending]).toEqual([[150], 0]);
});
