import { describe, expect, it } from "vitest";
import { TargetPolicy } from "./target-policy.ts";

const allows = (allowed: string[] | undefined, address: string, host = address): boolean =>
  new TargetPolicy(allowed).refusal(host, address) === undefined;

describe("the target policy", () => {
  it.each(["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1", "fd00::1", "2001:db8::1"])(
    "lets %s through by default",
    (address) => {
      expect(allows(undefined, address)).toBe(true);
    },
  );

  const guarded = [
    "169.254.169.254",
    "169.254.170.2",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::",
    "::169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
  ];
  it.each(guarded)("refuses %s, even where everything is allowed", (address) => {
    for (const allowed of [undefined, ["*"], ["0.0.0.0/0", "::/0"], ["160.0.0.0/3"]])
      expect(allows(allowed, address, "evil.test")).toBe(false);
  });

  it("allows a guarded address that is listed by a range inside", () => {
    expect(allows(["169.254.10.0/24"], "169.254.10.7")).toBe(true);
    expect(allows(["169.254.10.0/24"], "169.254.11.7")).toBe(false);
    expect(allows(["fe80::/64"], "fe80::1")).toBe(true);
    expect(allows(["169.254.0.0/16"], "64:ff9b::169.254.1.1", "a")).toBe(false);
  });

  it("allows only what is listed, by address or by name", () => {
    expect(allows(["10.0.0.0/8"], "10.1.1.1")).toBe(true);
    expect(allows(["10.0.0.0/8"], "11.1.1.1")).toBe(false);
    expect(allows(["*.svc"], "11.1.1.1", "a.svc")).toBe(true);
    expect(allows(["*.svc"], "11.1.1.1", "a.test")).toBe(false);
    expect(allows([], "10.1.1.1")).toBe(false);
  });

  it("never lets a name stand for a metadata address", () => {
    expect(allows(["*.svc"], "169.254.169.254", "a.svc")).toBe(false);
  });

  it("refuses what is no address at all", () => {
    expect(allows(undefined, "0x7f.1")).toBe(false);
  });

  it("names host, address and the way out", () => {
    const refusal = new TargetPolicy(undefined).refusal("evil.test", "169.254.169.254");
    expect(refusal).toMatchObject({ code: "SCRAPE_BLOCKED" });
    expect(refusal?.message).toMatch(/^evil\.test \(169\.254\.169\.254\) .*allowedTargets/);
  });
});
