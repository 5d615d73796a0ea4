import { once } from "node:events";
import { describeWith, startEtcd, testTls } from "@muster/test-servers";
import { describe, expect, it, vi } from "vitest";
import { muster, musterEnds, reader } from "./muster-process.ts";
import { describeCli, server } from "./plane-cli.ts";
import { type CliRun, runCli } from "./run-cli.ts";

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

    it("says once that it waits, whatever is to be watched", async () => {
      await using etcd = await startEtcd();
      const url = `${etcd.endpoint.replace("http", "etcd")}?timeout=100ms`;
      await etcd.stop();
      const flags = ["--store", url, "--connect-timeout", "1s"];
      const { code, err } = await runCli(["discovery", "watch", ...flags]);
      expect(err.match(/^waiting for /gm)).toHaveLength(1);
      expect(code).toBe(1);
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

  describe("that asks who is there", { timeout: 60_000 }, () => {
    it("takes certificates from the environment, as paths", async () => {
      await using etcd = await startEtcd({ tls: "server" });
      const env = {
        ETCD_ENDPOINTS: etcd.endpoint,
        ETCD_AUTH_CA: testTls.ca,
        ETCD_AUTH_CLIENT_CERT: testTls.client.cert,
        ETCD_AUTH_CLIENT_KEY: testTls.client.key,
      };
      expect(await list([], env)).toMatchObject({ code: 0, err: nothing });
      const url = `etcds://127.0.0.1:${etcd.port}?timeout=2s`;
      expect(await list(["--store", url], env)).toMatchObject({ code: 0, err: nothing });
      const others = { ...env, ETCD_AUTH_CA: testTls.otherCa };
      const refused = await list(["--store", url], others);
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/\[STORE_TLS\]/) });
    });

    it("takes user and password from the environment or the URL, and never prints them", async () => {
      await using etcd = await startEtcd();
      await etcd.enableAuth("muster", "s3cret");
      const place = `127.0.0.1:${etcd.port}?timeout=2s`;
      const env = { ETCD_AUTH_USERNAME: "muster", ETCD_AUTH_PASSWORD: "s3cret" };
      expect(await list(["--store", `etcd://${place}`], env)).toMatchObject({ code: 0 });
      const url = `etcd://muster:s3cret@${place}`;
      expect(await list(["--store", url])).toMatchObject({ code: 0, err: nothing });
      for (const wrong of [`etcd://${place}`, `etcd://muster:wr0ng@${place}`]) {
        const refused = await list(["--store", wrong]);
        expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/\[STORE_AUTH\]/) });
        expect(refused.err).not.toContain("wr0ng");
      }
    });
  });
});

const nothing = "nothing is registered that matches\n";

function list(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliRun> {
  return runCli(["discovery", "list", ...flags], new AbortController().signal, env);
}
