import { once } from "node:events";
import { describeWith, startNats } from "@muster/test-servers";
import { describe, expect, it } from "vitest";
import { muster, reader } from "./muster-process.ts";
import { describeCli, server } from "./plane-cli.ts";

describeWith("nats", describe)("muster discovery on NATS", () => {
  describe("with one server", { timeout: 120_000 }, () => {
    describeCli(async () => {
      const nats = await startNats();
      const url = `${nats.url}?ttl=2s`;
      return { url, [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose]() };
    });

    it("ends when it is told to, although the server is gone", async () => {
      await using nats = await startNats();
      const held = muster("discovery", "register", "--store", nats.url, ...server);
      await reader(held, "stdout")(/registered model/);
      await nats.kill();
      held.kill("SIGTERM");
      expect(await once(held, "exit")).toEqual([0, null]);
    });
  });
});
