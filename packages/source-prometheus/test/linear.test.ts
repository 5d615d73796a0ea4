import { afterEach, describe, expect, it, vi } from "vitest";
import { createPageParser, parsePage } from "../src/index.ts";

/** Counts the characters that string operations of the parser look at, at most. */
function countWork(run: () => void): number {
  let work = 0;
  const count = (name: "charCodeAt" | "indexOf" | "startsWith" | "slice"): void => {
    const original = String.prototype[name] as (...args: unknown[]) => unknown;
    vi.spyOn(String.prototype, name).mockImplementation(function (
      this: string,
      ...args: unknown[]
    ) {
      const result = original.apply(this, args);
      const from = Number(args[name === "slice" ? 0 : 1] ?? 0);
      if (name === "charCodeAt") work += 1;
      else if (name === "indexOf")
        work += (result === -1 ? this.length : Number(result)) - from + 1;
      else work += String(name === "slice" ? result : args[0]).length;
      return result as never;
    });
  };
  count("charCodeAt");
  count("indexOf");
  count("startsWith");
  count("slice");
  run();
  vi.restoreAllMocks();
  return work;
}

afterEach(() => vi.restoreAllMocks());

const pages: Record<string, (size: number) => string> = {
  "a line without end": (size) => "a".repeat(size),
  "blanks only": (size) => " ".repeat(size),
  "blank lines": (size) => "\n".repeat(size),
  "a label without end": (size) => `a{b="${"x".repeat(size)}`,
  backslashes: (size) => `a{b="${"\\".repeat(size)}`,
  "open quotes": (size) => 'a{b="\n'.repeat(size / 7),
  "open braces": (size) => "{".repeat(size),
  "braces line by line": (size) => "{\n".repeat(size / 2),
  "many labels": (size) =>
    `a{${Array.from({ length: size / 12 }, (_, i) => `l${i}=""`).join(",")}} 1`,
  "the same label": (size) => `a{${'b="c",'.repeat(size / 6)}} 1`,
  "a number without end": (size) => `a ${"1".repeat(size)}x`,
  "fraction digits": (size) => `a 0.${"1".repeat(size)}e`,
  "a hexadecimal without end": (size) => `a 0x${"f".repeat(size)}`,
  hashes: (size) => "# ".repeat(size / 2),
  types: (size) => "# TYPE a gauge\n".repeat(size / 15),
  "names that go on": (size) => "a_total_total_total".repeat(size / 19),
  "nearly wanted names": (size) => "aaaaaaaaaaab 1\n".repeat(size / 15),
};

describe("time grows with the page and no faster", () => {
  it.each(Object.keys(pages))("%s", (kind) => {
    const page = (size: number): Uint8Array => new TextEncoder().encode(pages[kind]?.(size));
    const parser = createPageParser({ families: ["a", "aaaaaaaaaaaa"] });
    for (const parse of [
      (bytes: Uint8Array) => parsePage(bytes),
      (bytes: Uint8Array) => parser.parse(bytes),
    ]) {
      const small = countWork(() => parse(page(4_000)));
      const large = countWork(() => parse(page(64_000)));
      expect(large).toBeLessThan(16 * small * 1.2 + 1000);
      expect(large).toBeLessThan(12 * 64_000);
    }
  });
});
