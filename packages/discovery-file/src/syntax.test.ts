import type { MusterError } from "@muster/core";
import { describe, expect, it } from "vitest";
import { maxTokens } from "./limits.ts";
import { readSourceText } from "./source-text.ts";
import { parseSyntax } from "./syntax.ts";

const parse = (text: string): ReturnType<typeof parseSyntax> =>
  parseSyntax(readSourceText(new TextEncoder().encode(text), "e.yaml"));

describe("parseSyntax", () => {
  it.each(["", " \n", "# only a comment\n", "...\n"])("finds nothing in %j", async (text) => {
    expect((await parse(text))?.document.toJS() ?? null).toBeNull();
  });

  it.each([
    ["an open bracket", "a: [\nb: 1\n", "e.yaml:2:1"],
    ["a stray bracket", "a: 1\n]\n", "e.yaml:2:1"],
    ["an open quote", 'a: "b\n', "e.yaml:2:1"],
    ["a tab as indentation", "a:\n\tb: 1\n", "e.yaml:2:1"],
    ["a second document", "a: 1\n---\nb: 2\n", "e.yaml:2:1"],
    ["JSON cut off", '{"endpoints": [{"name": "a"', "e.yaml:1:28"],
  ])("refuses %s with its place", async (_, text, path) => {
    await expect(parse(text)).rejects.toMatchObject({ code: "DISCOVERY_PARSE", path });
  });

  it("reports every error, up to 20", async () => {
    const problems = async (text: string): Promise<(string | undefined)[]> => {
      const error: MusterError = await parse(text).then(
        () => expect.unreachable(),
        (thrown) => thrown,
      );
      return error.problems.map(({ path }) => path);
    };
    expect(await problems("a: [,]\nb: c: d\n")).toEqual(["e.yaml:1:5", "e.yaml:2:4"]);
    expect(await problems("]".repeat(100_000))).toHaveLength(20);
    expect(await problems(`[[[${",".repeat(100_000)}`)).toHaveLength(20);
  });

  it.each([
    ["brackets", "[".repeat(50_000)],
    ["closed brackets", "[".repeat(50_000) + "]".repeat(50_000)],
    ["braces", "{a: ".repeat(50_000)],
    ["dashes", "- ".repeat(50_000)],
    ["question marks", "? ".repeat(50_000)],
  ])("refuses deep nesting: %s", async (_, text) => {
    await expect(parse(text)).rejects.toMatchObject({
      code: "DISCOVERY_PARSE",
      message: "nested deeper than 64 levels",
    });
  });

  it("gives up a file of too many tokens", async () => {
    await expect(parse(`[${",".repeat(maxTokens)}`)).rejects.toMatchObject({
      code: "DISCOVERY_TOO_LARGE",
      path: "e.yaml",
    });
  }, 60_000);

  it("remarks on unknown tags instead of failing", async () => {
    const syntax = await parse("a: !mine b\n");
    expect(syntax?.warnings).toEqual([{ offset: 3, message: "Unresolved tag: !mine" }]);
    expect(syntax?.document.toJS()).toEqual({ a: "b" });
  });
});
