import { describe, expect, it } from "vitest";
import { createPageParser, parsePage } from "./page-parser.ts";

const text = (page: string): Uint8Array => new TextEncoder().encode(page);

describe("limits", () => {
  it("takes a label of 100 kB", () => {
    const value = "x".repeat(100_000);
    const page = parsePage(text(`a{b="${value}"} 1\n`));
    expect(page.family("a")?.samples[0]?.labels.b).toBe(value);
  });

  it("skips and counts a wanted line that is too long, recognised or not", () => {
    const parser = createPageParser({ families: ["a"], limits: { maxLineBytes: 40 } });
    const long = "9".repeat(41);
    expect(parser.parse(text("a 1\na 2\n")).family("a")?.samples).toHaveLength(2);
    const page = parser.parse(text(`a ${long}\n# HELP a ${long}\na 2\nb ${long}\n`));
    expect(page.family("a")).toMatchObject({ help: "", samples: [{ value: 2 }] });
    expect(page.skipped).toBe(2);
  });

  it.each([
    ["samples", { maxSamples: 2 }, "a 1\na 2\na 3\n"],
    ["metric names", { maxNames: 2 }, "a 1\nb 2\nc 3\n"],
  ])("refuses a page with too many %s", (what, limits, page) => {
    expect(() => parsePage(text(page), { limits })).toThrow(
      expect.objectContaining({
        code: "PARSE_LIMIT",
        message: expect.stringContaining(`2 ${what}`),
      }),
    );
    expect(() => parsePage(text(page), { limits, families: ["b"] })).not.toThrow();
  });
});
