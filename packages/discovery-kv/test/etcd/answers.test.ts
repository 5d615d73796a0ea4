import { describeWith, until } from "@muster/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type FakeAnswer, startTamperer } from "./tamper.ts";
import { EtcdWorld, hastyClock, WatchReader } from "./world.ts";

vi.setConfig({ testTimeout: 30_000 });

const json = (value: unknown): FakeAnswer => ({ body: () => [JSON.stringify(value)] });
const header = { cluster_id: "1", member_id: "1", revision: "5", raft_term: "2" };

function* forever(piece: string): Generator<string> {
  for (;;) yield piece;
}

describeWith("etcd", describe)("answers of an etcd store's server", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  it.each<[string, FakeAnswer, RegExp]>([
    [
      "a page",
      { type: "text/html", body: () => ["<h1>Log in</h1>"] },
      /HTTP 200, "<h1>Log in.*client port/,
    ],
    [
      "404",
      { status: 404, type: "text/plain", body: () => ["404 page not found\n"] },
      /HTTP 404.*etcd 3\.4/,
    ],
    ["a redirect", { status: 302, headers: { location: "/" }, body: () => [] }, /HTTP 302/],
    [
      "an error without a code",
      { status: 500, body: () => ['{"error":"oops"}'] },
      /HTTP 500.*oops/,
    ],
    ["no object", json(5), /HTTP 200, "5"/],
    ["another server's object", json({ status: "ok" }), /HTTP 200.*ok.*client port/],
    ["an empty object", json({}), /HTTP 200, "{}"/],
    ["a list", json([1]), /HTTP 200, "\[1]"/],
    ["JSON that breaks off", { body: () => ['{"kvs":['] }, /which is not the JSON of etcd/],
  ])("that are no etcd's are told: %s", async (_, answer, message) => {
    await using tamperer = await startTamperer(undefined, () => answer);
    const store = world.store(tamperer, { requestTimeout: "300ms" });
    const error = await store.check().catch((problem: unknown) => problem);
    expect(error).toMatchObject({
      code: "STORE_RESPONSE",
      message: expect.stringMatching(message),
    });
  });

  it.each<[string, unknown]>([
    ["kvs that are no list", { header, kvs: 5 }],
    ["a record that is null", { header, kvs: [null] }],
    ["a key that is a number", { header, kvs: [{ key: 5 }] }],
    ["kvs that are null", { header, kvs: null }],
    ["more, and none of it", { header, kvs: [], more: true }],
    ["a key of elsewhere", { header, kvs: [{ key: "Yy9h" }] }],
    ["the same page for ever", { header, kvs: [{ key: "Yi9h" }], more: true }],
    ["a revision that is none", { header: { ...header, revision: "x" } }],
    ["a record's revision that is none", { header, kvs: [{ key: "Yi9h", mod_revision: {} }] }],
  ])("that have another shape are told: %s", async (_, answer) => {
    await using tamperer = await startTamperer(undefined, () => json(answer));
    const bucket = world.store(tamperer, { requestTimeout: "300ms" }).bucket("b");
    await expect(bucket.entries()).rejects.toMatchObject({
      code: "STORE_RESPONSE",
      message: expect.stringMatching(/\betcd\b/),
    });
  });

  it("whose pages lead in a circle are told", async () => {
    let pages = 0;
    await using tamperer = await startTamperer(undefined, () =>
      json({ header, kvs: [{ key: ["Yi9h", "Yi9i"][pages++ % 2] }], more: true }),
    );
    const entries = world.store(tamperer).bucket("b").entries();
    await expect(entries).rejects.toMatchObject({ code: "STORE_RESPONSE" });
    expect(pages).toBe(3);
  });

  it("that lose their meaning on the way do not empty a view", async () => {
    let broken: boolean | undefined;
    await using tamperer = await startTamperer(world.etcd, ({ path }) => {
      if (path === "/v3/watch") broken ??= true;
      return broken ? json({}) : undefined;
    });
    await world.etcd.put("b/a", "1");
    const reader = await WatchReader.open(world.store(tamperer), "b");
    await until(() => reader.interruptions.length > 0, "it is interrupted");
    expect([reader.view, reader.interruptions[0]?.code]).toEqual([{ a: "1" }, "STORE_RESPONSE"]);
    broken = false;
    await world.etcd.put("b/b", "2");
    await reader.sees({ a: "1", b: "2" });
    expect(reader.resyncs).toBeLessThan(2);
  });

  it("that do not come are told with the time that was waited, not with what was left of it", async () => {
    const silence = (): FakeAnswer => ({ body: () => [], open: true });
    await using one = await startTamperer(undefined, silence);
    await using other = await startTamperer(undefined, silence);
    const endpoints = [one, other].map(({ port }) => `127.0.0.1:${port}`);
    const store = world.store(undefined, { endpoints, requestTimeout: "300ms" });
    await expect(store.bucket("b").get("a")).rejects.toMatchObject({
      code: "STORE_TIMEOUT",
      message: expect.stringContaining("within 150 ms"),
    });
  });

  it("that do not end are cut off", async () => {
    const endless = { body: () => forever(" ".repeat(1024 * 1024)) };
    await using tamperer = await startTamperer(undefined, () => endless);
    await expect(world.store(tamperer).bucket("b").get("a")).rejects.toMatchObject({
      code: "STORE_TOO_LARGE",
    });
  });

  it.each<[string, FakeAnswer, string]>([
    [
      "cancelled because of compaction",
      {
        body: () => ['{"result":{"canceled":true,"compact_revision":"7"}}\n'],
        open: true,
      },
      "everything before revision 7 was compacted",
    ],
    [
      "cancelled for another reason",
      { body: () => ['{"result":{"canceled":true,"cancel_reason":"why not"}}\n'], open: true },
      "why not",
    ],
    [
      "a line with an error",
      {
        body: () => ['{"error":{"grpc_code":14,"http_code":503,"message":"no leader"}}\n'],
        open: true,
      },
      "no leader (code 14)",
    ],
    [
      "a line that is no JSON",
      { body: () => ["what?\n"], open: true },
      'no watch response: "what?"',
    ],
    [
      "a line of another shape",
      { body: () => ['{"result":5}\n'], open: true },
      "no watch response",
    ],
    [
      "events of another shape",
      { body: () => ['{"result":{"events":5}}\n'], open: true },
      "cannot be read",
    ],
    [
      "a key of elsewhere",
      { body: () => ['{"result":{"events":[{"kv":{"key":"Yy9h"}}]}}\n'], open: true },
      'the key "c/a", which is not in b',
    ],
    ["an end", { body: () => [] }, "ended the watch"],
    ["a line without end", { body: () => forever("x".repeat(1024 * 1024)) }, "a line is longer"],
    ["a refusal", { status: 503, body: () => ['{"code":14,"message":"busy"}'] }, "busy (code 14)"],
    ["a page", { status: 404, body: () => ["not found"] }, "HTTP 404"],
  ])("to a watch may be anything, and it goes on: %s", async (_, answer, message) => {
    let watches = 0;
    await using tamperer = await startTamperer(world.etcd, ({ path }) =>
      path === "/v3/watch" && ++watches <= 2 ? answer : undefined,
    );
    const reader = await WatchReader.open(world.store(tamperer), "b");
    await until(() => watches > 2, "it opens another watch");
    await world.etcd.put("b/a", "1");
    await reader.sees({ a: "1" });
    expect(world.lines.some((line) => line.message.includes(message))).toBe(true);
  });

  it("to a watch that never comes are not waited for for ever", async () => {
    let watches = 0;
    await using tamperer = await startTamperer(world.etcd, ({ path }) =>
      path === "/v3/watch" && ++watches === 1 ? { body: () => [], open: true } : undefined,
    );
    const store = world.store(tamperer, { requestTimeout: "300ms" });
    const reader = await WatchReader.open(store, "b");
    await until(() => watches > 1, "it opens another watch");
    await world.etcd.put("b/a", "1");
    await reader.sees({ a: "1" });
  });

  it("to a watch that stay away are missed when others know more", async () => {
    const { header: now } = await world.etcd.call("/v3/kv/range", { key: "YQ==" });
    const created = `${JSON.stringify({ result: { header: now, created: true } })}\n`;
    let watches = 0;
    await using tamperer = await startTamperer(world.etcd, ({ path }) =>
      path === "/v3/watch" && ++watches === 1 ? { body: () => [created], open: true } : undefined,
    );
    const reader = await WatchReader.open(world.store(tamperer, {}, { clock: hastyClock }), "b");
    await until(() => watches === 1, "the watch is open");
    await world.etcd.put("b/a", "1");
    await reader.sees({ a: "1" });
    expect(world.lines[0]?.message).toContain("does not tell of changes that are there");
    expect(reader.interruptions).toEqual([]);
  });

  it("to watches that always end make no hot loop", async () => {
    let watches = 0;
    await using tamperer = await startTamperer(world.etcd, ({ path }) =>
      path === "/v3/watch" && ++watches ? { body: () => [] } : undefined,
    );
    const reader = await WatchReader.open(world.store(tamperer), "b");
    await until(() => reader.interruptions.length > 0, "the interruption is told");
    const before = watches;
    await world.etcd.put("b/a", "1");
    await until(() => watches > before, "it tries again");
    // each round waits twice as long as the one before: at least 125 ms, then 250 ms
    expect(watches).toBeLessThan(5);
  });

  it("do not get into the way of what is written when they are lost", async () => {
    const proxy = await world.proxy();
    const store = world.store(proxy, { ttl: "1h" });
    const bucket = store.bucket("b");
    await bucket.create("warm", "1");
    const unanswered = async (
      write: () => Promise<unknown>,
      done: () => Promise<void>,
    ): Promise<unknown> => {
      proxy.mute();
      const result = write();
      await done();
      proxy.heal();
      proxy.drop();
      return result;
    };
    const create = (): Promise<boolean> => bucket.create("a", "1");
    expect(await unanswered(create, () => world.holds({ "b/a": "1", "b/warm": "1" }))).toBe(true);
    const replace = (): Promise<boolean> =>
      bucket.compareAndReplace("a", { expected: "1", value: "2" });
    expect(await unanswered(replace, () => world.holds({ "b/a": "2", "b/warm": "1" }))).toBe(true);
    const remove = (): Promise<boolean> => bucket.delete("a");
    expect(await unanswered(remove, () => world.holds({ "b/warm": "1" }))).toBe(true);
  });

  it.each<[string, (stop: AbortController) => void, string]>([
    ["timed out", () => undefined, "STORE_TIMEOUT"],
    ["was aborted", (stop) => stop.abort(), "PLANE_ABORTED"],
  ])("leave nothing behind of a creation that %s", async (_, then, code) => {
    const proxy = await world.proxy();
    const store = world.store(proxy, { requestTimeout: "800ms" });
    const bucket = store.bucket("b");
    await bucket.create("stays", "1");
    const stop = new AbortController();
    proxy.mute();
    const creation = bucket
      .create("a", "1", { signal: stop.signal })
      .catch((error: unknown) => error);
    await world.holds({ "b/a": "1", "b/stays": "1" });
    then(stop);
    expect(await creation).toMatchObject({ code });
    proxy.heal();
    proxy.drop();
    await world.holds({ "b/stays": "1" });
  });
});
