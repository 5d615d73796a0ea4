import { describe, expect, it } from "vitest";
import type { ResolveAll } from "../src/index.ts";
import { ask, openTransport, textOf } from "./support/ask.ts";
import { serve } from "./support/server.ts";

/** A resolver that gives the next of these lists at each look-up, then the last one again. */
function resolver(...answers: string[][]): ResolveAll & { calls: number } {
  const resolve = Object.assign(
    ((_name, _options, done) => {
      const addresses = answers[Math.min(resolve.calls++, answers.length - 1)] ?? [];
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    }) as ResolveAll,
    { calls: 0 },
  );
  return resolve;
}

const blocked = expect.objectContaining({ code: "SCRAPE_BLOCKED" });

describe("targets", () => {
  it.each(["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0"])(
    "a literal %s is refused before a connection is tried",
    async (address) => {
      await expect(ask(openTransport(), { port: "80", address })).rejects.toEqual(blocked);
    },
  );

  it.each(["metadata.test", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376"])(
    "%s is refused for what it resolves to",
    async (address) => {
      const transport = openTransport({ resolve: resolver(["169.254.169.254"]) });
      await expect(ask(transport, { port: "80", address })).rejects.toEqual(blocked);
    },
  );

  it("a name that resolves to good and bad addresses is asked at the good one", async () => {
    const { port } = await serve((_, response) => response.end("a 1\n"));
    const transport = openTransport({ resolve: resolver(["169.254.169.254", "127.0.0.1"]) });
    expect(textOf(await ask(transport, { port, address: "model.test" }))).toBe("a 1\n");
  });

  it("a name that changes its mind between check and connection gains nothing", async () => {
    const { port } = await serve((_, response) => {
      response.setHeader("connection", "close").end("a 1\n");
    });
    const resolve = resolver(["127.0.0.1"], ["169.254.169.254"]);
    const transport = openTransport({ resolve });
    expect((await ask(transport, { port, address: "model.test" })).status).toBe(200);
    expect(resolve.calls).toBe(1);
    await expect(ask(transport, { port, address: "model.test" })).rejects.toEqual(blocked);
  });

  it("outside the allowed ones are refused, by address and by name", async () => {
    const { port } = await serve((_, response) => response.end("a 1\n"));
    const resolve = resolver(["127.0.0.1"]);
    const byName = openTransport({ allowedTargets: ["*.svc"], resolve });
    expect((await ask(byName, { port, address: "a.svc" })).status).toBe(200);
    await expect(ask(byName, { port, address: "a.test" })).rejects.toEqual(blocked);
    await expect(ask(byName, { port })).rejects.toEqual(blocked);
    const byRange = openTransport({ allowedTargets: ["127.0.0.0/8"], resolve });
    expect((await ask(byRange, { port, address: "a.test" })).status).toBe(200);
  });

  it("a name without any address cannot be connected to", async () => {
    const transport = openTransport({ resolve: resolver([]) });
    await expect(ask(transport, { port: "80", address: "a.test" })).rejects.toMatchObject({
      code: "SCRAPE_CONNECT",
    });
  });

  it("real look-ups work", async () => {
    const { port } = await serve((_, response) => response.end("a 1\n"), "localhost");
    expect((await ask(openTransport(), { port, address: "localhost" })).status).toBe(200);
  });
});
