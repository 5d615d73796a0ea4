import { MusterError } from "@muster/core";
import { describe, expect, it, vi } from "vitest";
import { createWatchQueue } from "./watch-queue.ts";

function world(limit?: number) {
  const state = new Map<string, string>();
  const onClose = vi.fn();
  const snapshot = vi.fn(() => new Map(state));
  const queue = createWatchQueue({ snapshot, limit, onClose });
  return {
    queue,
    snapshot,
    onClose,
    put(key: string, value: string) {
      state.set(key, value);
      queue.put(key, value);
    },
    delete(key: string) {
      state.delete(key);
      queue.delete(key);
    },
    next: async () => (await queue.events.next()).value,
  };
}

describe("createWatchQueue", () => {
  it("begins with what there is, then tells each change", async () => {
    const { next, put, delete: remove } = world();
    expect(await next()).toEqual({ type: "Resync", entries: new Map() });
    put("a", "1");
    remove("a");
    expect(await next()).toEqual({ type: "Put", key: "a", value: "1" });
    expect(await next()).toEqual({ type: "Delete", key: "a" });
  });

  it("says what changed before the first read once, in the first event", async () => {
    const { next, put } = world();
    put("a", "1");
    expect(await next()).toEqual({ type: "Resync", entries: new Map([["a", "1"]]) });
    put("b", "2");
    expect(await next()).toEqual({ type: "Put", key: "b", value: "2" });
  });

  it("turns what a slow reader missed into one Resync, made when it is read", async () => {
    const { next, put, delete: remove, snapshot } = world(3);
    await next();
    for (let n = 0; n < 100; n++) put(`k${n}`, "v");
    for (let n = 1; n < 100; n++) remove(`k${n}`);
    expect(snapshot).toHaveBeenCalledTimes(1);
    expect(await next()).toEqual({ type: "Resync", entries: new Map([["k0", "v"]]) });
    put("k1", "w");
    expect(await next()).toEqual({ type: "Put", key: "k1", value: "w" });
  });

  it("drops what waits when the store may have missed something", async () => {
    const { next, put, queue } = world();
    await next();
    put("a", "1");
    queue.resync();
    expect(await next()).toEqual({ type: "Resync", entries: new Map([["a", "1"]]) });
  });

  it("ends with an error after what waits, and closes once", async () => {
    const { next, put, queue, onClose } = world();
    await next();
    put("a", "1");
    const error = new MusterError("STORE_LEASE_LOST", "gone");
    queue.end(error);
    expect(queue.closed).toBe(true);
    expect(await next()).toEqual({ type: "Put", key: "a", value: "1" });
    await expect(next()).rejects.toBe(error);
    await queue.events.return?.();
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
