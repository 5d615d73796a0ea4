import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

describe("LineSplitter", () => {
  it("gives the lines, wherever the pieces end", () => {
    const line = fc
      .string({ unit: "grapheme" })
      .filter((text) => !/[\n]/.test(text) && text.trim() !== "");
    fc.assert(
      fc.property(
        fc.array(line),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (lines, sizes) => {
          const seen: string[] = [];
          const splitter = new LineSplitter(10_000, (each) => seen.push(each));
          const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
          for (let start = 0; start < bytes.length; ) {
            const size = sizes.next().value ?? 1;
            expect(splitter.push(bytes.subarray(start, start + size))).toBe(true);
            start += size;
          }
          expect(seen).toEqual(lines);
        },
      ),
    );
  });

  it("gives what is left at the end, and no blank lines", () => {
    const seen: string[] = [];
    const splitter = new LineSplitter(10, (line) => seen.push(line));
    splitter.push(Buffer.from("\n \na\r\n\nb"));
    splitter.end();
    splitter.end();
    expect(seen).toEqual(["a\r", "b"]);
  });

  it("refuses a line that is too long", () => {
    const splitter = new LineSplitter(10, () => undefined);
    expect(splitter.push(Buffer.from("0123456789\n01234"))).toBe(true);
    expect(splitter.push(Buffer.from("56789"))).toBe(true);
    expect(splitter.push(Buffer.from("0"))).toBe(false);
  });
});
