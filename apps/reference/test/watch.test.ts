import { silentLogger } from "@muster/core";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApi } from "../src/http/api.ts";
import { type Listening, listen } from "../src/http/listen.ts";
import { type HandFleet, startHandFleet, untilFresh } from "./fleet.ts";
import { fixture, servePage, type TestServer } from "./page-server.ts";
import type { Shown } from "./shapes.ts";

interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: Shown;
}

/** Reads server-sent events from a real response until `done` says so. */
async function readUntil(
  answer: Response,
  done: (events: readonly Event[]) => boolean,
): Promise<Event[]> {
  const events: Event[] = [];
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (reader !== undefined && !done(events)) {
    const { value, done: ended } = await reader.read();
    if (ended) break;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]),
      );
      if (fields.has("event"))
        events.push({
          event: fields.get("event") ?? "",
          id: fields.get("id") ?? "",
          data: JSON.parse(fields.get("data") ?? "null"),
        });
    }
  }
  await reader?.cancel();
  return events;
}

describe("GET /api/watch", () => {
  let model: TestServer;
  let hand: HandFleet;
  let server: Listening;
  const draining = new AbortController();

  beforeEach(async () => {
    model = await servePage(fixture("vllm-0.11.0-v1.prom"));
    hand = await startHandFleet();
    hand.add("a", model.port);
    await untilFresh(hand.fleet, 1);
    const api = createApi({
      fleet: hand.fleet,
      registry: new Registry(),
      logger: silentLogger,
      guard: {},
      signal: draining.signal,
    });
    server = await listen(api, { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await server.close(0);
    await hand[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const watch = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/api/watch`, { headers });

  it("starts with a snapshot, then tells of upserts and deletes", async () => {
    const answer = await watch();
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const reading = readUntil(answer, (events) => events.at(-1)?.event === "delete");
    hand.add("b", model.port);
    await untilFresh(hand.fleet, 2);
    hand.remove("b");
    const events = await reading;
    expect(events[0]).toMatchObject({ event: "snapshot", data: { reason: "start" } });
    expect(events[0]?.id).toBe(events[0]?.data.revision);
    expect(events[0]?.data.endpoints.map((endpoint) => endpoint.id)).toContain("default/a");
    expect(events.at(-1)?.data).toMatchObject({ id: "default/b" });
  });

  it("resumes after Last-Event-ID without a new snapshot", async () => {
    const [first] = await readUntil(await watch(), (events) => events.length > 0);
    hand.add("c", model.port);
    const answer = await watch({ "last-event-id": first?.id ?? "" });
    const [next] = await readUntil(answer, (events) => events.length > 0);
    expect(next).toMatchObject({ event: "upsert", data: { endpoint: { id: "default/c" } } });
  });

  it.each(["other-12", "nonsense", `x${"y".repeat(2000)}`])(
    "sends a new snapshot when it cannot resume from %.20s",
    async (id) => {
      const [first] = await readUntil(
        await watch({ "last-event-id": id }),
        (events) => events.length > 0,
      );
      expect(first).toMatchObject({ event: "snapshot", data: { reason: "resume" } });
    },
  );

  it("refuses a filter, which it does not have, rather than send everything", async () => {
    const answer = await fetch(`${server.url}/api/watch?state=fresh`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "BAD_REQUEST",
      detail: 'parameter "state" is not known here: this answer has no filters',
    });
  });

  it("answers HEAD without becoming a watcher", async () => {
    for (let n = 0; n < 300; n++) {
      const answer = await fetch(`${server.url}/api/watch`, { method: "HEAD" });
      expect(answer.headers.get("content-type")).toContain("text/event-stream");
    }
    expect((await readUntil(await watch(), (events) => events.length > 0))[0]?.event).toBe(
      "snapshot",
    );
  });
});
