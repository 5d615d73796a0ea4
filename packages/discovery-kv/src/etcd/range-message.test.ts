import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeRange, encodeRange } from "./range-message.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("encodeRange", () => {
  it("writes protobuf", () => {
    const key = Buffer.from("a").toString("base64");
    const range_end = Buffer.from("b").toString("base64");
    const message = encodeRange({ key, range_end, limit: 300, revision: 2 ** 40 });
    expect(Buffer.from(message).toString("hex")).toBe(
      "0a01611201621 8ac02 20808080808020".replaceAll(" ", ""),
    );
  });
});

describe("decodeRange", () => {
  const read = (message: Buffer): [unknown[], unknown] => {
    const records: unknown[] = [];
    const rest = decodeRange(message, (...record) => records.push(record));
    return [records, rest];
  };

  it("reads records, and skips what it does not know", () => {
    const record = "0a 03 612fc3 1003 18ac02 2001 2a 02 c3a4 30ffffffffffffffff7f";
    const size = Buffer.of(hex(record).length).toString("hex");
    const message = hex(
      `0a 02 0801 12 ${size} ${record} 1801 2005 7d 00000000 79 0000000000000000`,
    );
    const lastKey = Buffer.from("612fc3", "hex").toString("base64");
    expect(read(message)).toEqual([[["a/\ufffd", "ä", 300]], { more: true, lastKey }]);
    expect(read(Buffer.alloc(0))).toEqual([[], { more: false, lastKey: undefined }]);
  });

  it.each([
    "12",
    "12 05 0a",
    "12 02 0a 05",
    "0b",
    "18",
    "18 80",
    "ff".repeat(12),
    "12 03 0a 02 61",
  ])("refuses what is broken: %s", (text) => {
    expect(() => read(hex(text))).toThrow(RangeError);
  });

  it("ends on whatever it gets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
