import { describe, expect, it } from "vitest";
import { formatOf } from "./content-type.ts";
import { parsePage } from "./page-parser.ts";

const text = (page: string): Uint8Array => new TextEncoder().encode(page);

describe("the format of an answer", () => {
  it.each([
    [undefined, "text"],
    ["", "text"],
    [" ; charset=utf-8", "text"],
    ["text/plain", "text"],
    ["Text/Plain;version=0.0.4;charset=utf-8", "text"],
    ["application/openmetrics-text; version=1.0.0; charset=utf-8", "openmetrics"],
  ])("of content type %j is %s", (contentType, format) => {
    expect(formatOf(text("a 1"), { contentType })).toBe(format);
    expect(formatOf(text(""), { contentType })).toBe(format);
  });

  it.each([
    ["text/html; charset=utf-8", "a 1"],
    ["application/json", "[]"],
    ["application/vnd.google.protobuf", "a 1"],
    [undefined, "<!DOCTYPE html>"],
    ["text/plain", "\ufeff\n <html>"],
    ["text/plain", "[]"],
    ["text/plain", "{}"],
    ["text/plain", '{"error" : 1}'],
  ])("%j with %j is refused", (contentType, body) => {
    expect(() => parsePage(text(body), { contentType })).toThrow(
      expect.objectContaining({ code: "SCRAPE_CONTENT_TYPE" }),
    );
  });

  it("a line that begins with a quoted name is no JSON", () => {
    expect(parsePage(text('{"a.b"} 1')).family("a.b")?.samples).toHaveLength(1);
  });

  it("the error shows status, type and first bytes, escaped", () => {
    const body = `<\u001b[31m\u0085"ü${"x".repeat(200)}`;
    const contentType = "text/html\u001b";
    expect(() => formatOf(text(body), { contentType, status: 200 })).toThrow(
      /status 200, content-type "text\/html\\u001b", begins "<\\u001b\[31m\\xc2\\x85\\"\\xc3\\xbcx+"\.\.\./,
    );
  });
});

describe("OpenMetrics", () => {
  const contentType = "application/openmetrics-text";

  it("is cut short when # EOF is missing", () => {
    for (const body of ["", "a 1\n", "a 1\n# EOFX\n", "a 1\n# EOF x\n"])
      expect(() => parsePage(text(body), { contentType })).toThrow(
        expect.objectContaining({ code: "SCRAPE_TRUNCATED" }),
      );
  });

  it("ends at # EOF", () => {
    expect(parsePage(text("a 1\n# EOF\nb 2\n"), { contentType }).family("b")).toBeUndefined();
    expect(parsePage(text("a 1\n# EOF"), { contentType }).family("a")).toBeDefined();
    expect(parsePage(text("a 1\n# EOF\nb 2\n")).family("b")).toBeDefined();
  });
});
