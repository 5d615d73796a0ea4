import { describe, expect, it, vi } from "vitest";
import { createCatchUpStream } from "./catch-up-stream.ts";

function world(limit: number) {
  const state = new Set<number>();
  const onOverflow = vi.fn();
  const onClose = vi.fn();
  const stream = createCatchUpStream<number | string, number | string>({
    catchUp: () => [...state].map((n) => `all ${n}`),
    deliver: (item) => item,
    limit,
    onOverflow,
    onClose,
  });
  const put = (n: number): void => {
    state.add(n);
    stream.push(n);
  };
  const read = async (count: number): Promise<unknown[]> => {
    const items: unknown[] = [];
    for (let n = 0; n < count; n++) items.push((await stream.stream.next()).value);
    return items;
  };
  return { ...stream, put, read, onOverflow, onClose };
}

describe("createCatchUpStream", () => {
  it("hands on what is pushed while its reader keeps up", async () => {
    const { put, read, onOverflow } = world(2);
    for (let n = 0; n < 10; n++) {
      put(n);
      expect(await read(1)).toEqual([n]);
    }
    expect(onOverflow).not.toHaveBeenCalled();
  });

  it("drops what waits past its limit, and catches up when it is read", async () => {
    const { put, read, onOverflow } = world(2);
    for (const n of [1, 2, 3, 4]) put(n);
    expect(onOverflow).toHaveBeenCalledTimes(1);
    expect(await read(1)).toEqual(["all 1"]);
    put(5);
    put(6);
    // catching up does not count against the limit
    expect(await read(5)).toEqual(["all 2", "all 3", "all 4", 5, 6]);
    expect(onOverflow).toHaveBeenCalledTimes(1);
  });

  it("starts over when its reader falls behind while it catches up", async () => {
    const { put, read } = world(1);
    for (const n of [1, 2]) put(n);
    expect(await read(1)).toEqual(["all 1"]);
    for (const n of [3, 4]) put(n);
    expect(await read(4)).toEqual(["all 1", "all 2", "all 3", "all 4"]);
  });

  it("answers a reader that waits with what catching up gives", async () => {
    const { stream, put, fallBehind } = world(2);
    put(1);
    await stream.next();
    const waiting = stream.next();
    fallBehind();
    expect(await waiting).toEqual({ value: "all 1", done: false });
  });

  it("lets what it has be read after its end, also when behind", async () => {
    const { stream, put, read, end } = world(2);
    for (const n of [1, 2, 3]) put(n);
    end();
    put(4);
    expect(await read(3)).toEqual(["all 1", "all 2", "all 3"]);
    expect(await read(1)).toEqual(["all 4"]);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});
