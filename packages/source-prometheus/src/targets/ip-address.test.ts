import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddedV4, inRange, parseIp, parseRange, rangeWithin } from "./ip-address.ts";

const within = (address: string, range: string): boolean => {
  const [ip, parsed] = [parseIp(address), parseRange(range)];
  if (ip === undefined || parsed === undefined) throw new Error(`${address} or ${range}`);
  return inRange(ip, parsed);
};

describe("addresses", () => {
  it("are understood as the platform understands them", () => {
    const odd = fc.stringMatching(/^[0-9a-fA-F:.x]{1,24}$/);
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), odd);
    fc.assert(
      fc.property(address, (text) => {
        expect(parseIp(text) !== undefined).toBe(isIP(text) !== 0);
      }),
      { numRuns: 2000 },
    );
  });

  it("are equal in all their spellings", () => {
    const forms = ["::ffff:169.254.1.2", "::FFFF:a9fe:0102", "0:0:0:0:0:ffff:169.254.1.2"];
    for (const form of forms) expect(parseIp(form)).toEqual(parseIp("169.254.1.2"));
    expect(parseIp("fe80::1%eth0")).toEqual(parseIp("fe80:0:0:0:0:0:0:1"));
  });

  it.each(["64:ff9b::a9fe:102", "2002:a9fe:102::1", "::169.254.1.2"])(
    "%s embeds an IPv4 address",
    (text) => {
      const ip = parseIp(text);
      expect(ip && embeddedV4(ip)).toEqual(parseIp("169.254.1.2"));
    },
  );

  it.each(["::1", "::", "2001:db8::1", "10.0.0.1", "::ffff:10.0.0.1"])("%s embeds none", (text) => {
    const ip = parseIp(text);
    expect(ip && embeddedV4(ip)).toBeUndefined();
  });
});

describe("ranges", () => {
  it.each([
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["10.0.0.255", "10.0.0.128/25", true],
    ["10.0.0.127", "10.0.0.128/25", false],
    ["1.2.3.4", "0.0.0.0/0", true],
    ["1.2.3.4", "1.2.3.4", true],
    ["1.2.3.4", "::/0", false],
    ["::ffff:10.1.1.1", "10.0.0.0/8", true],
    ["10.1.1.1", "::ffff:10.0.0.0/104", true],
    ["fd00::1", "fd00::/8", true],
    ["fe80::1", "fd00::/8", false],
  ])("%s in %s: %s", (address, range, expected) => {
    expect(within(address, range)).toBe(expected);
  });

  it.each([
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "x/8",
    "::/129",
    "::ffff:1.1.1.1/64",
  ])("%s is none", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  it.each([
    ["169.254.169.254", "169.254.0.0/16", true],
    ["169.254.0.0/16", "169.254.0.0/16", true],
    ["169.0.0.0/8", "169.254.0.0/16", false],
    ["::/0", "fe80::/10", false],
    ["fe80::/64", "fe80::/10", true],
  ])("%s within %s: %s", (inner, outer, expected) => {
    const [a, b] = [parseRange(inner), parseRange(outer)];
    expect(a && b && rangeWithin(a, b)).toBe(expected);
  });
});
