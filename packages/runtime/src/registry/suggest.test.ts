import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, suggest } from "./suggest.ts";

describe("suggest", () => {
  it.each([
    ["watchfile", ["watchFile", "path"], "watchFile"],
    ["pluginref", ["pluginRef"], "pluginRef"],
    ["hsot", ["host", "port"], "host"],
    ["prot", ["host", "port"], "port"],
    ["intervall", ["interval"], "interval"],
    ["itnerval", ["interval"], "interval"],
    ["x", ["y"], "y"],
    ["interval", ["port", "host"], undefined],
    ["a".repeat(65), ["a".repeat(64)], undefined],
  ])("for %j among %j gives %j", (word, candidates, wanted) => {
    expect(suggest(word, candidates)).toBe(wanted);
  });

  it("takes the nearest, the first of equally near ones, and never the word itself", () => {
    expect(suggest("paht", ["math", "path"])).toBe("path");
    expect(suggest("cat", ["car", "cut"])).toBe("car");
    expect(suggest("same", ["same"])).toBeUndefined();
  });

  it("may be told how many letters may differ", () => {
    expect(suggest("models-scorer", ["models-source"])).toBe("models-source");
    expect(suggest("models-scorer", ["models-source"], { most: 2 })).toBeUndefined();
  });

  it("finds a word again after one slip", () => {
    const word = fc.stringMatching(/^[a-z]{4,20}$/);
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom("drop", "double", "swap"), (text, at, slip) => {
        const index = at % (text.length - 1);
        const [before, a = "", b = "", after] = [
          text.slice(0, index),
          ...[text[index], text[index + 1]],
          text.slice(index + 2),
        ];
        const slips = { drop: b, double: a + a + b, swap: b + a };
        const wrong = before + slips[slip] + after;
        if (wrong !== text) expect(suggest(wrong, ["zzzz", text])).toBe(text);
      }),
    );
  });

  it("is worded as a question, or not at all", () => {
    expect(didYouMean("hots", ["host"])).toBe(' (did you mean "host"?)');
    expect(didYouMean("zzz", ["host"])).toBe("");
  });
});
