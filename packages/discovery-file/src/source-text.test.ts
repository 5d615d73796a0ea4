import { describe, expect, it } from "vitest";
import { readSourceText } from "./source-text.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("readSourceText", () => {
  it("names each place by line and column, from 1", () => {
    const source = readSourceText(bytes("ab\r\n\ncd"), "e.yaml");
    const places = [0, 1, 4, 5, 6].map((offset) => source.position(offset));
    expect(places).toEqual(["e.yaml:1:1", "e.yaml:1:2", "e.yaml:2:1", "e.yaml:3:1", "e.yaml:3:2"]);
    expect([0, 4, 6].map((offset) => source.line(offset))).toEqual([1, 2, 3]);
  });

  it("drops a byte order mark", () => {
    expect(readSourceText(bytes("\ufeffa"), "e.yaml").text).toBe("a");
  });

  it.each([
    ["bytes that are not UTF-8", Uint8Array.of(0x61, 0x0a, 0x62, 0xff), "e.yaml:2:2"],
    ["a UTF-8 sequence that is cut off", Uint8Array.of(0x61, 0xe2, 0x82), "e.yaml:1:2"],
    ["UTF-16, little endian", Uint8Array.of(0xff, 0xfe, 0x61, 0), "e.yaml:1:1"],
    ["UTF-16, big endian", Uint8Array.of(0xfe, 0xff, 0, 0x61), "e.yaml:1:1"],
    ["NUL characters, as a crash leaves them", bytes("a: b\n\0\0"), "e.yaml:2:1"],
    ["an escape character", bytes("a: \u001b[0m"), "e.yaml:1:4"],
  ])("refuses %s at the first", (_, content, path) => {
    expect(() => readSourceText(content, "e.yaml")).toThrow(
      expect.objectContaining({ code: "DISCOVERY_PARSE", path }),
    );
  });
});
