import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeySpace, escapeToken, keyOfSubject, unescapeToken } from "./keys.ts";

describe("the layout of the bucket", () => {
  const keys = createKeySpace("fleet");

  it.each([
    ["dynamo/backend/generate/694d8a1b2c3d4e5f", "dynamo/backend/generate/694d8a1b2c3d4e5f"],
    ["namespace/a%20b/topic/t/2a", "namespace/a=2520b/topic/t/2a"],
    ["a.b", "a=2Eb"],
    ["..", "=2E=2E"],
    ["*", "=2A"],
    [">", "=3E"],
    ["=2E", "=3D2E"],
    ["ä🚀", "=C3=A4=F0=9F=9A=80"],
    [" \n", "=20=0A"],
  ])("writes key %j as %j", (key, token) => {
    expect(keys.key("v1/instances", key)).toBe(`$KV.fleet.v1/instances.${token}`);
    expect(keyOfSubject(keys.key("v1/instances", key))).toBe(key);
  });

  it("gives no bucket the leases' place", () => {
    expect(keys.lease("18")).toBe("$KV.fleet.=lease.18");
    for (const name of ["lease", "=lease", "%3Dlease"])
      expect(keys.bucket(name)).not.toBe(keys.leases);
  });

  it.each(["", "a.b", "a b", "=", "=2", "=2e", "=FF", "=41", "=C3", "=ED=A0=80", "a*", "ä"])(
    "takes %j for nothing we wrote",
    (token) => {
      expect(unescapeToken(token)).toBeUndefined();
    },
  );

  it("maps any key to a key that NATS allows, and back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (key) => {
        const token = escapeToken(key);
        expect(token).toMatch(/^[-/_=a-zA-Z0-9]+$/);
        expect(unescapeToken(token)).toBe(key);
      }),
    );
  });
});
