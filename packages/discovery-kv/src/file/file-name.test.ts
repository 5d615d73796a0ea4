import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFileName, encodeFileName } from "./file-name.ts";

describe("the name of a key's file", () => {
  it.each([
    ["dynamo/backend/generate/694d8a1b2c3d4e5f", "dynamo%2Fbackend%2Fgenerate%2F694d8a1b2c3d4e5f"],
    ["a-b_c.d", "a%2Db%5Fc%2Ed"],
    ["namespace/my%2Dns/topic/kv-events/2a", "namespace%2Fmy%252Dns%2Ftopic%2Fkv%2Devents%2F2a"],
    ["~!*'()", "%7E%21%2A%27%28%29"],
    ["ä🚀", "%C3%A4%F0%9F%9A%80"],
    ["..", "%2E%2E"],
    ["\0", "%00"],
  ])("of %j is %s, as in the original", (key, name) => {
    expect(encodeFileName(key)).toBe(name);
    expect(decodeFileName(name)).toBe(key);
  });

  it.each(["", "\ud800", "a\udfff", "a".repeat(256), "/".repeat(86)])(
    "is none of %j: no file can have it",
    (key) => expect(encodeFileName(key)).toBeUndefined(),
  );

  it.each([
    ...["", ".", "..", "a.b", "a/b", ".tmp_0123456789abcdef", "a b", "%", "%2", "%2G", "a%"],
    // another spelling of a key: lower case, or a letter or digit that is escaped without need
    ...["a%2fb", "%41", "%5A", "%61", "%7A", "%30", "%39"],
    // no UTF-8: alone, too long, a surrogate, beyond the last character
    ...["%80", "%C3", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%FF"],
    "a".repeat(256),
  ])("is not %j: it is ignored", (name) => expect(decodeFileName(name)).toBeUndefined());

  it("leads back to its key, and holds nothing but letters, digits and %", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (key) => {
        const name = encodeFileName(key);
        if (name === undefined) return;
        expect(name).toMatch(/^[%\dA-Za-z]{1,255}$/);
        expect(decodeFileName(name)).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });

  it("has one spelling: whatever can be read is written the same", () => {
    const piece = fc.constantFrom(..."%0123456789ABCDEFabcdefgzGZ", "%2F", "%C3%A4", "%7E");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const key = decodeFileName(pieces.join(""));
        if (key !== undefined) expect(encodeFileName(key)).toBe(pieces.join(""));
      }),
      { numRuns: 5000 },
    );
  });
});
