import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hostPort,
  isAddress,
  isHostName,
  isIPv4,
  isIPv6,
  isPort,
  isRequestPath,
} from "./address.ts";

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);

describe("addresses", () => {
  it("takes every IPv4 and IPv6 address and host name", () => {
    fc.assert(fc.property(fc.ipV4(), (text) => isIPv4(text) && isAddress(text)));
    fc.assert(fc.property(fc.ipV6(), (text) => isIPv6(text) && isAddress(text)));
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) =>
        isHostName(labels.join(".")),
      ),
    );
  });

  it("agrees with URL: what is taken can stand in one, unchanged", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
        fc.integer({ min: 1, max: 65535 }),
        (address, port) => {
          fc.pre(isAddress(address));
          const url = new URL(`http://${hostPort(address, String(port))}/`);
          expect(url.username + url.password + url.search + url.hash).toBe("");
          expect(url.pathname).toBe("/");
          if (isIPv4(address)) expect(url.hostname).toBe(address);
        },
      ),
    );
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.4.5",
    "0x7f.1",
    "::g",
    "[::1]",
    "fe80::1%eth0",
    "1:2:3:4:5:6:7:8:9",
    "-a.b",
    "a-.b",
    "a..b",
    "a b",
    "user@host",
    "host/path",
    "host:80",
    "a\n",
    `${"a".repeat(64)}.b`,
    `${"a.".repeat(127)}abc`,
    "2130706433",
    "ｈost",
  ])("refuses %j", (text) => {
    expect(isAddress(text)).toBe(false);
  });

  it("takes a name with a trailing dot, an underscore and digits first", () => {
    for (const name of ["host.example.", "_srv.host", "0cool.example", "localhost"])
      expect(isHostName(name)).toBe(true);
  });

  it("takes any text without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => typeof isAddress(text) === "boolean"),
    );
  });
});

describe("hostPort", () => {
  it("puts brackets around IPv6 addresses alone", () => {
    expect(hostPort("::1", "80")).toBe("[::1]:80");
    expect(hostPort("10.0.0.1", "80")).toBe("10.0.0.1:80");
    expect(hostPort("host", "80")).toBe("host:80");
  });
});

describe("isPort", () => {
  it("takes 1 to 65535 as digits and nothing else", () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 65535 }), (port) => isPort(String(port))));
    for (const text of ["0", "65536", "080", "+80", "8e1", " 80", "80 ", "", "1234567"])
      expect(isPort(text)).toBe(false);
  });
});

describe("isRequestPath", () => {
  it("takes what can stand in a request line", () => {
    for (const path of ["/", "/metrics", "/a?b=c&d", "/%20"])
      expect(isRequestPath(path)).toBe(true);
    for (const path of [
      "",
      "metrics",
      "/a b",
      "/a#b",
      "/a\r\nHost: x",
      "/ü",
      `/${"a".repeat(2048)}`,
    ])
      expect(isRequestPath(path)).toBe(false);
  });
});
