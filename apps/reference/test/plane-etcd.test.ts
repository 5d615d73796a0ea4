import { once } from "node:events";
import { describeWith, startEtcd } from "@muster/test-servers";
import { describe, expect, it, vi } from "vitest";
import { muster, musterEnds, reader } from "./muster-process.ts";
import { describeCli, server } from "./plane-cli.ts";

describeWith("etcd", describe)("muster discovery on etcd", () => {
  describe("with one server", { timeout: 120_000 }, () => {
    describeCli(async () => {
      const etcd = await startEtcd();
      const url = `${etcd.endpoint.replace("http", "etcd")}?ttl=2s`;
      return { url, [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose]() };
    });

    it("waits for the store, and registers again when it lost everything", async () => {
      await using etcd = await startEtcd();
      const url = `${etcd.endpoint.replace("http", "etcd")}?ttl=2s&timeout=1s`;
      await etcd.stop();
      const held = muster("discovery", "register", "--store", url, ...server);
      await reader(held, "stderr")(/waiting for etcd at 127.0.0.1:\d+, \d+ s more: .*\[STORE_/);
      const told = reader(held, "stdout");
      await etcd.restart();
      await told(/registered model/);
      const watch = muster("discovery", "watch", "--store", url, "--kind", "models");
      const watched = reader(watch, "stderr");
      await watched(/models: 1, all that is there/);
      const recovers = reader(held, "stderr")(/our records are registered again/);
      await etcd.wipe();
      await watched(/is lost: .*\[STORE_\w+\]\n(?:.*\n)*.*is found again\n/);
      await recovers;
      await vi.waitUntil(async () => (await etcd.read()).size === 2, 30_000);
      held.kill("SIGTERM");
      expect(await once(held, "exit")).toEqual([0, null]);
      expect(await etcd.read()).toEqual(new Map());
    });

    it("gives up in time, and says why", async () => {
      await using etcd = await startEtcd();
      const url = `${etcd.endpoint.replace("http", "etcd")}?timeout=1s`;
      await etcd.kill();
      const failed = await musterEnds("discovery", "list", "--store", url);
      expect(failed).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringMatching(/\[STORE_(UNAVAILABLE|TIMEOUT)\]\n$/),
      });
      const flags = ["--connect-timeout", "500ms"];
      const register = await musterEnds(
        "discovery",
        "register",
        "--store",
        url,
        ...server,
        ...flags,
      );
      expect(register.code).toBe(1);
    });
  });
});
