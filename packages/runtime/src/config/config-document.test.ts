import { isMusterError } from "@muster/core";
import { describe, expect, it } from "vitest";
import { maxConfigBytes, parseConfigDocument } from "./config-document.ts";

function problemsOf(text: string): string[] {
  try {
    parseConfigDocument(text, "f");
  } catch (error) {
    if (!isMusterError(error)) throw error;
    const problems = error.problems.length > 0 ? error.problems : [error];
    return problems.map(({ code, path, message }) => `${code} ${path} ${message}`);
  }
  return [];
}

const dataOf = (text: string): unknown => parseConfigDocument(text, "f").value;

describe("parseConfigDocument", () => {
  it("reads YAML and JSON", () => {
    const wanted = { a: [1, "x", true, null], b: { c: 1.5 } };
    expect(dataOf("a: [1, x, true, ~]\nb:\n  c: 1.5\n")).toEqual(wanted);
    expect(dataOf('{\n\t"a": [1, "x", true, null],\n\t"b": {"c": 1.5}\n}')).toEqual(wanted);
  });

  it("expands aliases and merge keys", () => {
    const text =
      "base: &base {a: 1, b: 2}\none: *base\ntwo: {<<: *base, b: 3}\nthree: {<<: [{c: 1}, {c: 2}]}";
    expect(dataOf(text)).toEqual({
      base: { a: 1, b: 2 },
      one: { a: 1, b: 2 },
      two: { a: 1, b: 3 },
      three: { c: 1 },
    });
  });

  it("makes objects without prototype", () => {
    const value = dataOf("__proto__: {polluted: true}\n") as object;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  it("knows where values and keys stand, and what is around what is not there", () => {
    const document = parseConfigDocument("a:\n  - b: 1\n  - c: *x\nx: 1\n".replace("*x", "2"), "f");
    const at = (path: (string | number)[], part?: "key") => {
      const { line, column } = document.position(path, part);
      return `${line}:${column}`;
    };
    expect(at([])).toBe("1:1");
    expect(at(["a"])).toBe("2:3");
    expect(at(["a"], "key")).toBe("1:1");
    expect(at(["a", 1, "c"])).toBe("3:8");
    expect(at(["a", 1, "c"], "key")).toBe("3:5");
    expect(at(["a", 1, "z", "y"])).toBe("3:5");
    expect(at(["a", 7])).toBe("2:3");
  });

  it("looks through aliases", () => {
    const document = parseConfigDocument("a: &x {b: 1}\nc: *x\n", "f");
    expect(document.position(["c", "b"])).toEqual({ line: 1, column: 11 });
  });

  it("gives every syntax error with its place", () => {
    const two = problemsOf("a: 'b\nc: [1\n");
    expect(two.length).toBeGreaterThan(0);
    for (const problem of two) expect(problem).toMatch(/^CONFIG_PARSE f:[123]:\d+ /);
    expect(problemsOf("b: 2\nb: 3\n")).toEqual([
      'CONFIG_PARSE f:2:1 the key "b" is given twice; remove one',
    ]);
    expect(problemsOf("a: 1\n---\nb: 2\n")).toEqual([
      "CONFIG_PARSE f:2:1 a second document starts here; a file may hold one",
    ]);
    expect(problemsOf("a: !acme 1\n")).toEqual(["CONFIG_PARSE f:1:4 Unresolved tag: !acme"]);
    expect(problemsOf("{a: 1}: 2\n")).toEqual(["CONFIG_PARSE f:1:1 a key must be a single value"]);
    expect(problemsOf("a: {<<: 1}\n")).toEqual(["CONFIG_PARSE f:1:5 << merges maps only"]);
  });

  it("shows at most 20 syntax errors", () => {
    expect(problemsOf("a: 1\n".repeat(100))).toHaveLength(20);
  });

  it("finds every key that is given twice, once for all aliases", () => {
    expect(problemsOf("a: &a {x: 1, x: 2}\nb: [*a, *a]\n__proto__: 1\n__proto__: 2\n")).toEqual([
      'CONFIG_PARSE f:1:14 the key "x" is given twice; remove one',
      'CONFIG_PARSE f:4:1 the key "__proto__" is given twice; remove one',
    ]);
  });

  // what takes quadratic time runs into the time limit: a minute before maps were indexed
  it("takes linear time for maps of many keys", () => {
    const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}`);
    const document = parseConfigDocument(
      `a: &a\n${keys.map((key) => ` ${key}: 1\n`).join("")}b: *a\n`,
      "f",
    );
    for (const [index, key] of keys.entries()) {
      expect(document.position(["a", key], "key").line).toBe(index + 2);
      expect(document.position(["b", key], "key").line).toBe(index + 2);
    }
  });

  it("limits aliases of aliases, nesting and size", () => {
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
    for (let n = 1; n < 9; n++)
      bomb.push(`a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(",")}]`);
    expect(problemsOf(bomb.join("\n"))).toEqual([
      expect.stringMatching(/^CONFIG_PARSE f:\d+:\d+ more than 100 aliases/),
    ]);
    const wide = `a: &a [${"x,".repeat(20_000)}]\nb: [${"*a,".repeat(50)}]`;
    expect(problemsOf(wide)).toEqual([expect.stringContaining("more than 100000 values")]);
    expect(problemsOf("a: &a [*a]")).toEqual([expect.stringMatching(/CONFIG_PARSE/)]);
    expect(problemsOf("[".repeat(70) + "]".repeat(70))).toEqual([
      expect.stringContaining("nested deeper than 64 levels"),
    ]);
    for (const deep of ["[", "{a: ", "- ", "? ", "a: [ b: {"])
      expect(problemsOf(deep.repeat(50_000))).toEqual([
        expect.stringMatching(/^CONFIG_PARSE f:1:\d{2,3} nested deeper than 64 levels/),
      ]);
    expect(problemsOf(`[${",".repeat(500_000)}`)).toEqual([
      "CONFIG_TOO_LARGE f f has more than 300000 YAML tokens; no configuration needs that",
    ]);
    expect(problemsOf("x".repeat(maxConfigBytes + 1))).toEqual([
      "CONFIG_TOO_LARGE f f is larger than 1024 KiB; no configuration needs that",
    ]);
  });
});
