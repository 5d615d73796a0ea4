import { describeWith } from "@muster/test-servers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startStores } from "./stores.ts";

afterEach(() => vi.unstubAllEnvs());

const nothing = (): undefined => undefined;

describe("startStores", () => {
  it("says what is not installed, and how to get it", async () => {
    vi.stubEnv("CI", "");
    await using stores = await startStores(nothing);
    expect(stores.env).toEqual({});
    expect(stores.missing).toEqual([
      "etcd is not installed (apt-get install etcd-server)",
      "nats is not installed (apt-get install nats-server)",
    ]);
  });

  it("goes without nothing in CI", async () => {
    vi.stubEnv("CI", "true");
    await expect(startStores(nothing)).rejects.toThrow("etcd is not installed");
  });
});

describeWith("etcd", describe)("with etcd installed", () => {
  it("starts one for anybody and one for those with a certificate, and ends both", async () => {
    const stores = await startStores();
    const { MUSTER_ETCD = "", MUSTER_ETCD_TLS = "" } = stores.env;
    expect((await fetch(`${MUSTER_ETCD}/version`)).status).toBe(200);
    expect(MUSTER_ETCD_TLS).toMatch(/^https:/);
    await expect(fetch(`${MUSTER_ETCD_TLS}/version`)).rejects.toThrow();
    await stores[Symbol.asyncDispose]();
    await expect(fetch(`${MUSTER_ETCD}/version`)).rejects.toThrow();
  });
});
