import { describe, expect, it, vi } from "vitest";
import { MusterError } from "../errors.ts";
import { Fifo } from "./fifo.ts";
import { createPullStream, type PullStream } from "./pull-stream.ts";

interface World extends PullStream<number> {
  readonly items: Fifo<number>;
  readonly closes: number[];
  put(item: number): void;
}

function world(signal?: AbortSignal): World {
  const items = new Fifo<number>();
  const closes: number[] = [];
  const pull = createPullStream<number>({
    pull: () => items.shift(),
    signal,
    onClose: () => closes.push(1),
  });
  return Object.assign(Object.create(pull), {
    stream: pull.stream,
    items,
    closes,
    put(item: number) {
      items.push(item);
      pull.wake();
    },
  });
}

const done = { value: undefined, done: true };
const item = (value: number): unknown => ({ value, done: false });

describe("createPullStream", () => {
  it("answers several next() in order, whether they or the items come first", async () => {
    const { stream, put } = world();
    const first = [stream.next(), stream.next()];
    put(1);
    put(2);
    put(3);
    expect(await Promise.all([...first, stream.next()])).toEqual([item(1), item(2), item(3)]);
  });

  it("gives what is left after its end, then is done for good", async () => {
    const { stream, put, end, closes } = world();
    put(1);
    end();
    expect(closes).toHaveLength(1);
    expect(await stream.next()).toEqual(item(1));
    expect(await stream.next()).toEqual(done);
    expect(await stream.next()).toEqual(done);
    expect(closes).toHaveLength(1);
  });

  it("throws an error once, to the first that has nothing to read", async () => {
    const error = new MusterError("STORE_LEASE_LOST", "gone");
    const waiting = world();
    const reads = [waiting.stream.next(), waiting.stream.next()];
    waiting.end(error);
    expect(await Promise.allSettled(reads)).toEqual([
      { status: "rejected", reason: error },
      { status: "fulfilled", value: done },
    ]);
    const later = world();
    later.put(1);
    later.end(error);
    expect(await later.stream.next()).toEqual(item(1));
    await expect(later.stream.next()).rejects.toBe(error);
    expect(await later.stream.next()).toEqual(done);
  });

  it("is over at once when it is returned, for whoever waits too", async () => {
    const { stream, put, closes, closed } = world();
    expect(closed).toBe(false);
    const waiting = stream.next();
    expect(await stream.return?.()).toEqual(done);
    expect(await waiting).toEqual(done);
    put(1);
    expect(await stream.next()).toEqual(done);
    expect(closes).toHaveLength(1);
  });

  it("is over at once when its signal aborts, before or after", async () => {
    const controller = new AbortController();
    const before = world(controller.signal);
    const waiting = before.stream.next();
    controller.abort();
    expect(await waiting).toEqual(done);
    const after = world(controller.signal);
    after.put(1);
    expect(await after.stream.next()).toEqual(done);
    expect([before.closes, after.closes]).toEqual([[1], [1]]);
  });

  it("is over when it is returned although an error was still to be thrown", async () => {
    const { stream, put, end } = world();
    put(1);
    end(new MusterError("STORE_LEASE_LOST", "gone"));
    await stream.return?.();
    expect(await stream.next()).toEqual(done);
  });

  it("leaves no listener on its signal, and one however many streams hang on it", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const streams = [world(signal), world(signal), world(signal)];
    expect(added).toHaveBeenCalledTimes(1);
    for (const { end } of streams) end();
    expect(removed).toHaveBeenCalledTimes(1);
  });
});

describe("Fifo", () => {
  it("keeps the order, and lets go of what was read", () => {
    const fifo = new Fifo<number>();
    for (let n = 0; n < 5000; n++) fifo.push(n);
    for (let n = 0; n < 4000; n++) expect(fifo.shift()).toBe(n);
    expect(fifo.size).toBe(1000);
    for (let n = 5000; n < 5010; n++) fifo.push(n);
    for (let n = 4000; n < 5010; n++) expect(fifo.shift()).toBe(n);
    expect(fifo.shift()).toBeUndefined();
    expect(fifo.size).toBe(0);
  });
});
