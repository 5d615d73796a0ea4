import type { Clock } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { Scheduler, type Task } from "./scheduler.ts";

function every(
  interval: number,
  run: (now: number) => void,
  due = 0,
): Task & { cancelled: boolean } {
  return { due, cancelled: false, next: (now) => now + interval, run };
}

describe("the scheduler", () => {
  it("has one timer, whatever the number of tasks", async () => {
    const clock = createFakeClock();
    const scheduler = new Scheduler({ clock });
    const runs: number[] = [];
    for (let index = 0; index < 100; index += 1)
      scheduler.add(every(10, () => runs.push(index), index / 10));
    expect(clock.pending).toBe(0);
    scheduler.start();
    expect(clock.pending).toBe(1);
    await clock.advance(10);
    expect(clock.pending).toBe(1);
    expect(new Set(runs).size).toBe(100);
  });

  it("sets the timer anew for a task that is due sooner", async () => {
    const clock = createFakeClock();
    const scheduler = new Scheduler({ clock });
    const runs: string[] = [];
    scheduler.start();
    scheduler.add(every(1000, () => runs.push("late"), 500));
    scheduler.add(every(1000, () => runs.push("soon"), 20));
    await clock.advance(30);
    expect(runs).toEqual(["soon"]);
    expect(clock.pending).toBe(1);
  });

  it("runs a late task once, and tells how late it was", async () => {
    const clock = createFakeClock();
    const lateness: number[] = [];
    let blocked = 0;
    const slow: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + blocked,
      schedule: (callback, delay) => clock.schedule(callback, delay),
    };
    const scheduler = new Scheduler({ clock: slow, onWake: (late) => lateness.push(late) });
    const runs: number[] = [];
    scheduler.add({
      ...every(10, (now) => runs.push(now), 10),
      next: (now) => now - (now % 10) + 10,
    });
    scheduler.start();
    blocked = 73;
    await clock.advance(10);
    expect([runs, lateness]).toEqual([[83], [73]]);
  });

  it("lets other work in after 16 runs", async () => {
    const clock = createFakeClock();
    const wakes: number[] = [];
    let runs = 0;
    const counting = new Scheduler({ clock, onWake: () => wakes.push(runs) });
    for (let index = 0; index < 40; index += 1)
      counting.add(
        every(1e6, () => {
          runs += 1;
        }),
      );
    counting.start();
    await clock.advance(1);
    expect([wakes, runs]).toEqual([[0, 16, 32], 40]);
  });

  it("forgets cancelled tasks, at once when there are many", async () => {
    const clock = createFakeClock();
    const scheduler = new Scheduler({ clock });
    const tasks = Array.from({ length: 2000 }, () => every(10, () => expect.unreachable(), 1e6));
    for (const task of tasks) scheduler.add(task);
    scheduler.start();
    for (const task of tasks) task.cancelled = true;
    scheduler.forget(tasks.length);
    await clock.advance(2e6);
    expect(clock.pending).toBe(0);
  });

  it("a task may add tasks, cancel others and stop the scheduler while it runs", async () => {
    const clock = createFakeClock();
    const scheduler = new Scheduler({ clock });
    const runs: string[] = [];
    const victim = every(10, () => runs.push("victim"), 5);
    scheduler.add(victim);
    scheduler.add(
      every(
        10,
        () => {
          runs.push("first");
          victim.cancelled = true;
          scheduler.add(every(10, () => runs.push("added"), 0));
          if (runs.length > 3) scheduler.stop();
        },
        1,
      ),
    );
    scheduler.start();
    await clock.advance(100);
    expect(runs).toEqual(["first", "added", "added", "first"]);
    expect(clock.pending).toBe(0);
    scheduler.add(every(1, () => runs.push("after")));
    scheduler.start();
    expect(clock.pending).toBe(0);
  });
});
