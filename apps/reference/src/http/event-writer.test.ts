import { describe, expect, it } from "vitest";
import { EventWriter } from "./event-writer.ts";

/** A reader that takes each piece of text when told to. */
function slowReader() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const arrivals: (() => void)[] = [];
  const write = (text: string): Promise<void> => {
    taken.push(text);
    arrivals.shift()?.();
    return new Promise((resolve) => waiting.push(resolve));
  };
  const nextWrite = (): Promise<void> => new Promise((resolve) => arrivals.push(resolve));
  return { taken, write, nextWrite, take: () => waiting.shift()?.() };
}

describe("EventWriter", () => {
  it("writes what comes in one turn, and while the reader is busy, as one", async () => {
    const reader = slowReader();
    const writer = new EventWriter(reader.write);
    expect(writer.idle).toBe(true);
    let written = reader.nextWrite();
    for (const text of ["a", "b", "c"]) expect(writer.push(text)).toBeUndefined();
    await written;
    expect(writer.idle).toBe(false);
    writer.push("d");
    writer.push("e");
    written = reader.nextWrite();
    reader.take();
    await written;
    reader.take();
    await writer.end();
    expect(reader.taken).toEqual(["abc", "de"]);
    expect(writer.idle).toBe(true);
  });

  it("makes who writes wait for a reader that is far behind", async () => {
    const reader = slowReader();
    const writer = new EventWriter(reader.write);
    const written = reader.nextWrite();
    const behind = writer.push("x".repeat(64 * 1024 + 1));
    await written;
    let waited = false;
    const waiting = behind?.then(() => {
      waited = true;
    });
    expect(waited).toBe(false);
    reader.take();
    await waiting;
    expect(waited).toBe(true);
  });
});
