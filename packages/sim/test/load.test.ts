import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createFleet, createLoad, createModelServer, type LoadOptions } from "@muster/sim";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { until } from "./support.ts";

/** A server that notes what it is asked, and answers at once. */
async function recorder(
  status = 200,
): Promise<{ url: string; asked: string[]; stop: () => Promise<void> }> {
  const asked: string[] = [];
  const server = createServer((message, response) => {
    let body = "";
    message.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    message.on("end", () => {
      asked.push(`${message.url} ${body}`);
      const models = { data: [{ id: "base" }, { id: "a" }, { id: "b" }] };
      const usage = { usage: { prompt_tokens: 5, completion_tokens: 7 } };
      response.writeHead(message.url === "/v1/models" ? 200 : status);
      response.end(JSON.stringify(message.url === "/v1/models" ? models : usage));
    });
  }).listen(0, "127.0.0.1");
  await until(() => server.listening, "it listens");
  const stop = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

/** What a minute of load asks for, without the list of models. */
async function minute(
  options: Partial<LoadOptions> = {},
): Promise<{ asked: string[]; skipped: number }> {
  const server = await recorder();
  const clock = createFakeClock();
  const load = createLoad({ targets: [server.url], rate: 2, clock, ...options });
  load.start();
  for (let second = 0; second < 60; second++) {
    await clock.advance(1000);
    await until(() => load.stats().inFlight === 0, "all are answered");
  }
  const { sent, succeeded, promptTokens, completionTokens, skipped } = load.stats();
  expect(succeeded).toBe(sent);
  expect([promptTokens, completionTokens]).toEqual([5 * sent, 7 * sent]);
  await load.stop();
  await server.stop();
  expect(clock.pending).toBe(0);
  return { asked: server.asked.filter((one) => !one.startsWith("/v1/models")).sort(), skipped };
}

describe("a load", () => {
  it("sends what its seed says, of every kind", async () => {
    const first = await minute();
    expect(first.asked.length).toBeGreaterThan(60);
    expect(first.asked.length).toBeLessThan(200);
    expect((await minute()).asked).toEqual(first.asked);
    expect((await minute({ seed: 9 })).asked).not.toEqual(first.asked);
    for (const part of [
      '"model":"base"',
      '"model":"a"',
      '"model":"b"',
      '"stream":true',
      "/v1/completions",
      "/v1/chat/completions",
    ])
      expect(
        first.asked.some((one) => one.includes(part)),
        part,
      ).toBe(true);
    expect(first.asked.some((one) => !one.includes('"stream"'))).toBe(true);
  });

  it("keeps to the models, lengths and concurrency it is given", async () => {
    const options = { models: ["only"], maxTokens: 9, promptTokens: 3, streaming: 0 };
    const server = await recorder();
    const clock = createFakeClock();
    const { models, ...rest } = options;
    const load = createLoad({
      targets: [{ url: server.url, models }],
      clock,
      concurrency: 1,
      rate: 50,
      ...rest,
    });
    load.start();
    await clock.advance(1000);
    await until(() => load.stats().inFlight === 0, "all are answered");
    expect(load.stats().skipped).toBeGreaterThan(0);
    expect(server.asked.length).toBe(load.stats().sent);
    for (const one of server.asked) {
      expect(one).toContain('"model":"only"');
      expect(one).toContain('"max_tokens":9');
      expect(one).toMatch(/"(loadloadload)"/);
    }
    await load.stop();
    await server.stop();
  });

  it("counts failures: refusals, dead servers, time-outs", async () => {
    const refusing = await recorder(503);
    const clock = createFakeClock();
    const dead = { url: "http://127.0.0.1:1", models: ["m"] };
    const load = createLoad({ targets: [refusing.url, dead], clock, rate: 20 });
    load.start();
    await clock.advance(2000);
    await until(() => load.stats().inFlight === 0, "all failed");
    const { sent, failed } = load.stats();
    expect(sent).toBeGreaterThan(0);
    expect(failed).toBe(sent);
    await load.stop();
    await refusing.stop();
    await using hanging = createModelServer();
    await hanging.start();
    hanging.setFault({ kind: "hang", target: "all" });
    const patient = createLoad({
      targets: [hanging.url],
      clock,
      rate: 5,
      timeout: 500,
      wave: false,
    });
    patient.start();
    await clock.advance(2000);
    await until(() => patient.stats().failed > 0, "one timed out");
    await patient.stop();
    expect(patient.stats()).toMatchObject({ inFlight: 0, succeeded: 0 });
  });

  it("moves queue, batch, cache and adapters of a real fleet, unevenly", async () => {
    const server = { loras: ["a", "b", "c"], maxRunning: 2, maxLoras: 2, numBlocks: 600 };
    await using fleet = createFleet({ servers: [server, { ...server, engine: "sglang" }] });
    await fleet.start();
    const targets = [...fleet.servers.values()].map(({ url }) => url);
    await using load = createLoad({ targets, rate: 60, wave: { period: 1000 } });
    load.start();
    const snapshots = (): ReturnType<ReturnType<typeof createModelServer>["snapshot"]>[] =>
      [...fleet.servers.values()].map((one) => one.snapshot());
    await until(
      () => snapshots().every(({ running, waiting }) => running === 2 && waiting > 0),
      "both queue",
    );
    await until(
      () => snapshots().every(({ runningLoras }) => runningLoras.length > 0),
      "adapters run",
    );
    expect(snapshots().every(({ kvUsage }) => kvUsage > 0 && kvUsage <= 1)).toBe(true);
    const [first, second] = snapshots();
    expect(first?.totals.requests).not.toBe(second?.totals.requests);
    await load.stop();
    await until(
      () => snapshots().every(({ running, waiting }) => running + waiting === 0),
      "all is quiet",
    );
  });

  it("refuses options that make no sense", () => {
    const make = (options: object): unknown => createLoad(options as LoadOptions);
    const url = "http://127.0.0.1:1";
    expect(() => make({ targets: [] })).toThrow(/targets must be a list of 1 to/);
    expect(() => make({ targets: ["ftp://x"] })).toThrow(/targets\[0\].url must be an http URL/);
    expect(() => make({ targets: [url], rate: 0 })).toThrow(/rate must be a number from 0.001/);
    expect(() => make({ targets: [url], maxTokens: { min: 5, max: 2 } })).toThrow(
      /min of 5 above its max of 2/,
    );
    expect(() => make({ targets: [url], wave: { depth: 2 } })).toThrow(/wave.depth must be/);
    expect(() => make({ targets: [url], ratee: 1 })).toThrow(/ratee is not known/);
  });
});
