import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function split(chunks: readonly Uint8Array[], max = 100): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = new LineSplitter(
    max,
    (line) => lines.push(line),
    () => {
      tooLong += 1;
    },
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, tooLong };
}

describe("LineSplitter", () => {
  it("gives the same lines however the bytes are cut, also within a character", () => {
    const line = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => {
      return text.trim() !== "" && !text.includes("\n");
    });
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const whole = bytes(lines.join("\n"));
        const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
          whole.subarray(index * size, (index + 1) * size),
        );
        expect(split(chunks)).toEqual({ lines, tooLong: 0 });
      }),
    );
  });

  it("leaves out empty lines, and keeps what is after the last end", () => {
    expect(split([bytes("\n\na\r\n \nb")]).lines).toEqual(["a\r", "b"]);
  });

  it("leaves out a line that is too long, once, and goes on after it", () => {
    const long = [bytes("a\nxxxx"), bytes("xxxx"), bytes("xxxx"), bytes("x\nb\n")];
    expect(split(long, 6)).toEqual({ lines: ["a", "b"], tooLong: 1 });
    expect(split([bytes("1234567\nb\n")], 6)).toEqual({ lines: ["b"], tooLong: 1 });
  });
});
