import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { delay, systemClock } from "./clock.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("systemClock", () => {
  it("calls back once after the delay, unless cancelled", () => {
    const kept = vi.fn();
    const cancelled = vi.fn();
    systemClock.schedule(kept, 10);
    systemClock.schedule(cancelled, 10)();
    vi.advanceTimersByTime(9);
    expect(kept).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(kept).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  });

  it("waits longer than setTimeout can, and can be cancelled half-way", () => {
    const month = 30 * 24 * 3_600_000;
    const kept = vi.fn();
    const cancelled = vi.fn();
    systemClock.schedule(kept, month);
    const cancel = systemClock.schedule(cancelled, month);
    vi.advanceTimersByTime(month - 1);
    expect(kept).not.toHaveBeenCalled();
    cancel();
    vi.advanceTimersByTime(1);
    expect(kept).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells wall time and time that never goes back", () => {
    vi.setSystemTime(5000);
    expect(systemClock.now()).toBe(5000);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(0);
  });
});

describe("delay", () => {
  it("resolves after the delay and leaves no listener behind", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const done = delay(systemClock, 10, signal);
    vi.advanceTimersByTime(10);
    await done;
    expect(removed).toHaveBeenCalledOnce();
  });

  it("resolves at once at the abort and leaves no timer behind", async () => {
    const controller = new AbortController();
    const done = delay(systemClock, 10_000, controller.signal);
    controller.abort();
    await done;
    expect(vi.getTimerCount()).toBe(0);
    await delay(systemClock, 10_000, controller.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});
