import { createRecordingMeter } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fast, Rig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig[Symbol.asyncDispose]());

const labels = { reflector: "", resource: "configmaps", namespace: "default" };
const event = (type: string, object: unknown): string => JSON.stringify({ type, object });

describe("lines of a watch that make no sense", () => {
  it.each<[string, string]>([
    ["no JSON", "}{"],
    ["no object", "5"],
    ["null", "null"],
    ["an event without an object", event("ADDED", undefined)],
    ["an object without metadata", event("MODIFIED", { kind: "ConfigMap" })],
    ["metadata null", event("ADDED", { metadata: null })],
    [
      "a revision that is a number",
      event("ADDED", { metadata: { name: "x", resourceVersion: 5 } }),
    ],
    ["a name that is a path", event("ADDED", { metadata: { name: "../x" } })],
    ["a line longer than anything", `"${"x".repeat(9_000_000)}"`],
  ])("%s: counted, and everything is listed again", async (_, line) => {
    const metrics = createRecordingMeter();
    await rig.create("a");
    const reader = rig.read({ ...fast, silence: 10_000 }, { metrics });
    await reader.settles("a");
    await rig.watched();
    const lists = rig.count("list");
    rig.server.faults.garbage(line);
    await expect.poll(() => rig.count("list"), { timeout: 4000 }).toBeGreaterThan(lists);
    await reader.follows();
    expect(reader.names).toEqual(["a"]);
    expect(reader.reflector.state.malformed).toBe(1);
    expect(metrics.value("muster_kubernetes_malformed_total", labels)).toBe(1);
  });

  it("an unknown type of event: counted, and nothing else", async () => {
    const reader = rig.read();
    await rig.watched();
    rig.server.faults.garbage(event("PRAISED", { metadata: { name: "x" } }));
    await rig.create("a");
    await reader.settles("a");
    expect(reader.reflector.state).toMatchObject({ malformed: 1, restarts: 0 });
  });

  it("an object nested deeper than the stack: delivered, frozen to its ground", async () => {
    const reader = rig.read();
    await rig.watched();
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    rig.server.faults.garbage(
      `{"type":"ADDED","object":{"metadata":{"name":"deep","resourceVersion":"9"},"data":${deep}}}`,
    );
    await reader.settles("deep");
    let at = (reader.events.at(-1) as unknown as { object: { data: unknown } }).object.data;
    while (typeof at === "object" && at !== null) {
      if (!Object.isFrozen(at)) throw new Error("a part is not frozen");
      at = (at as { a: unknown }).a;
    }
    expect(at).toBe(1);
  });

  it("a name that every object has: data like any other", async () => {
    const reader = rig.read();
    await rig.watched();
    const label = '{"metadata":{"name":"constructor","labels":{"__proto__":"x"}}}';
    rig.server.faults.garbage(`{"type":"ADDED","object":${label}}`);
    await reader.settles("constructor");
    expect(({} as { x?: unknown }).x).toBeUndefined();
    const [first] = reader.events.filter(({ type }) => type === "Added");
    const { metadata } = (first as { object: { metadata: { labels: object } } }).object;
    expect(Object.entries(metadata.labels)).toEqual([["__proto__", "x"]]);
  });
});

describe("answers that are no list", () => {
  const list = (rest: object): string => JSON.stringify({ kind: "ConfigMapList", ...rest });

  it.each<[string, string]>([
    ["a log-in page", "<html><title>Log in</title>"],
    ["an empty object", "{}"],
    ["null", "null"],
    ["a Status", JSON.stringify({ kind: "Status", status: "Success", metadata: {} })],
    ["a list without a revision", list({ metadata: {}, items: [] })],
    ["a list with a number for a revision", list({ metadata: { resourceVersion: 7 }, items: [] })],
    ["items that are no list", list({ metadata: { resourceVersion: "7" }, items: {} })],
    ["no items, of no kind", JSON.stringify({ metadata: { resourceVersion: "7" } })],
  ])("%s: takes nothing away", async (_, body) => {
    await rig.create("a");
    const reader = rig.read();
    await reader.settles("a");
    await rig.watched();
    rig.server.faults.fail({ verb: "list", status: 200, body, times: 3 });
    rig.server.faults.dropWatches();
    await expect.poll(() => reader.interruptions).toContain("KUBE_RESPONSE");
    expect(reader.names).toEqual(["a"]);
    await reader.follows();
    expect(reader.events.filter(({ type }) => type === "Deleted")).toEqual([]);
  });

  it.each<[string, string[]]>([
    ["one page", ["again", "again"]],
    ["several pages", ["one", "two", "one"]],
  ])("a list that continues in a circle of %s: ended when it repeats itself", async (_, tokens) => {
    for (const token of tokens) {
      const page = { metadata: { resourceVersion: "7", continue: token }, items: [] };
      rig.server.faults.fail({ verb: "list", status: 200, body: list(page) });
    }
    const reader = rig.read();
    await reader.follows();
    expect(reader.interruptions).toEqual(["KUBE_RESPONSE", undefined]);
    expect(rig.count("list")).toBe(tokens.length + 1);
  });

  it("items that make no sense: counted; what is named stays", async () => {
    await rig.create("a", "b");
    const reader = rig.read();
    await reader.settles("a", "b");
    await rig.watched();
    const items = [null, 5, { metadata: { name: "a", namespace: "default", resourceVersion: 3 } }];
    const body = list({ metadata: { resourceVersion: "1" }, items });
    rig.server.faults.fail({ verb: "list", status: 200, body });
    rig.server.faults.fail({ verb: "watch", status: 500, times: 1 });
    rig.server.faults.dropWatches();
    await expect.poll(() => reader.reflector.state.malformed).toBe(3);
    await reader.settles("a", "b");
    const gone = reader.events.flatMap((e) => (e.type === "Deleted" ? e.object.metadata.name : []));
    expect(gone).toEqual(["b"]);
  });
});
