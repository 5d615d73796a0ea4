import { describeWith, startNats } from "@muster/test-servers";
import { describe } from "vitest";
import { describeCli } from "./plane-cli.ts";

describeWith("nats", describe)("muster discovery on NATS", () => {
  describe("with one server", { timeout: 120_000 }, () => {
    describeCli(async () => {
      const nats = await startNats();
      const url = `${nats.url}?ttl=2s`;
      return { url, [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose]() };
    });
  });
});
