import { afterEach, describe, expect, it, vi } from "vitest";
import { describeWith } from "../src/index.ts";

describe("describeWith", () => {
  afterEach(() => vi.unstubAllEnvs());

  const runner = (): {
    (name: string): void;
    skip(name: string): void;
    readonly seen: string[];
  } => {
    const seen: string[] = [];
    return Object.assign((name: string) => void seen.push(name), {
      skip: (name: string) => void seen.push(`skipped ${name}`),
      seen,
    });
  };

  it("runs the suite when the server is there", () => {
    const describe = runner();
    describeWith("etcd", describe, () => "/usr/bin/etcd")("a suite", () => undefined);
    expect(describe.seen).toEqual(["a suite"]);
  });

  it("skips it otherwise, saying how to get the server", () => {
    vi.stubEnv("CI", "");
    const describe = runner();
    describeWith("etcd", describe, () => undefined)("a suite", () => undefined);
    expect(describe.seen).toEqual(["skipped a suite [needs etcd: apt-get install etcd-server]"]);
  });

  it("skips nothing in CI", () => {
    vi.stubEnv("CI", "1");
    expect(() => describeWith("nats", runner(), () => undefined)).toThrow("nats is not installed");
  });
});
