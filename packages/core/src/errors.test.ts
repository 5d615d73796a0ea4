import { describe, expect, it } from "vitest";
import { errorCodes } from "./error-codes.ts";
import {
  errorCodeOf,
  isMusterError,
  isMusterErrorCode,
  MusterError,
  messageOf,
  toMusterError,
} from "./errors.ts";
import { typedName } from "./names.ts";

describe("MusterError", () => {
  it("carries code, plugin, path and cause", () => {
    const cause = new Error("below");
    const plugin = typedName("file-discovery");
    const error = new MusterError("CONFIG_READ", "cannot read a.yaml", {
      plugin,
      path: "a.yaml",
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "MusterError",
      code: "CONFIG_READ",
      plugin,
      path: "a.yaml",
      cause,
    });
  });

  it("has no cause unless one is given", () => {
    expect("cause" in new MusterError("INTERNAL", "x")).toBe(false);
  });

  it("becomes JSON with its problems, without stack and cause", () => {
    const problem = new MusterError("CONFIG_INVALID", "port 0", { path: "port" });
    const error = new MusterError("START_FAILED", "cannot start", {
      plugin: typedName("a", "b"),
      problems: [problem],
      cause: new Error("secret"),
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "START_FAILED",
      message: "cannot start",
      plugin: "a/b",
      problems: [{ code: "CONFIG_INVALID", message: "port 0", path: "port" }],
    });
  });
});

describe("isMusterError", () => {
  it("holds for an error of another copy of the package", () => {
    const foreign = Object.defineProperty(new Error("x"), Symbol.for("muster.error"), {
      value: true,
    });
    expect(isMusterError(foreign)).toBe(true);
    expect(isMusterError(new MusterError("INTERNAL", "x"))).toBe(true);
  });

  it("holds for nothing else", () => {
    for (const value of [new Error("x"), null, undefined, "INTERNAL", { code: "INTERNAL" }])
      expect(isMusterError(value)).toBe(false);
  });
});

describe("toMusterError", () => {
  it("keeps a MusterError and wraps anything else", () => {
    const error = new MusterError("NOT_FOUND", "x");
    expect(toMusterError(error, "INTERNAL")).toBe(error);
    const cause = new TypeError("not a function");
    expect(toMusterError(cause, "INTERNAL", { path: "p" })).toMatchObject({
      code: "INTERNAL",
      message: "not a function",
      path: "p",
      cause,
    });
  });
});

const refuse = (): never => {
  throw new Error("looked at");
};
const hostileGetter = { get: refuse };
const hostile = new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse });

describe("what is thrown", () => {
  it.each<[unknown, string]>([
    [new Error("text"), "text"],
    [new TypeError(), "TypeError"],
    ["text", "text"],
    [undefined, "undefined"],
    [7n, "7"],
    [Object.create(null), "a value that cannot be printed was thrown"],
    [Object.assign(new Error("x"), { message: 5 }), "5"],
    [hostile, "a value that cannot be printed was thrown"],
    [
      Object.defineProperty(new Error("x"), "message", hostileGetter),
      "a value that cannot be printed was thrown",
    ],
  ])("has a text: %#", (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });

  it("is wrapped whatever it does when it is looked at", () => {
    expect(isMusterError(hostile)).toBe(false);
    expect(errorCodeOf(hostile, "INTERNAL")).toBe("INTERNAL");
    expect(toMusterError(hostile, "INTERNAL").cause).toBe(hostile);
  });

  it("has a code, by default the given one", () => {
    expect(errorCodeOf(new MusterError("acme/BROKEN", "x"), "INTERNAL")).toBe("acme/BROKEN");
    expect(errorCodeOf(new Error("x"), "EXTRACT_FAILED")).toBe("EXTRACT_FAILED");
  });
});

describe("error codes", () => {
  it("are sorted, upper snake case, each with a meaning", () => {
    const codes = Object.keys(errorCodes);
    expect(codes).toEqual([...codes].sort());
    for (const [code, meaning] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(meaning).not.toBe("");
    }
  });

  it("are ours alone", () => {
    expect(isMusterErrorCode("SCRAPE_TIMEOUT")).toBe(true);
    for (const code of ["acme/CODE", "toString", "__proto__", ""])
      expect(isMusterErrorCode(code)).toBe(false);
  });
});
