import { createFakeClock } from "@muster/testkit";
import { expect, it } from "vitest";
import { createKubeApi, createReflector, directCluster } from "../../src/index.ts";
import { ScriptServer } from "../api/script-server.ts";

const resource = { group: "", version: "v1", plural: "configmaps" };

type Query = Readonly<Record<string, string>>;

/** Runs a reflector against what `answer` says, until so many watches were asked for; gives all queries. */
async function queriesOf(answer: (query: Query) => object | undefined, watches: number) {
  const queries: Query[] = [];
  await using server = await ScriptServer.open(({ url = "" }, response) => {
    const query = Object.fromEntries(new URL(url, "http://server").searchParams);
    queries.push(query);
    // a watch is in order, and its time is up
    if (query.watch) return void response.writeHead(200).end();
    const list = answer(query);
    const body = { kind: "ConfigMapList", apiVersion: "v1", ...list };
    response.writeHead(list === undefined ? 410 : 200).end(JSON.stringify(body));
  });
  const clock = createFakeClock();
  const api = createKubeApi(directCluster({ server: server.url }), { clock });
  const stop = new AbortController();
  const names: string[] = [];
  const labelSelector = "app=vllm";
  const reflector = createReflector(
    { api, resource, namespace: "default", labelSelector },
    { clock },
  );
  const reading = (async () => {
    for await (const event of reflector.events({ signal: stop.signal }))
      names.push(event.type === "Synced" ? "Synced" : event.object.metadata.name);
  })();
  const asked = async (): Promise<number> => {
    // past the pause after a watch that ended early
    await clock.advance(5000);
    return queries.filter(({ watch }) => watch).length;
  };
  await expect.poll(asked, { timeout: 8000, interval: 5 }).toBeGreaterThanOrEqual(watches);
  stop.abort();
  await reading;
  api.close();
  return { queries, names };
}

const item = (name: string) => ({ metadata: { name, namespace: "default", resourceVersion: "1" } });

it("a list is asked for in pages, and once more as a whole when its pages are too old", async () => {
  const { queries, names } = await queriesOf(({ limit, continue: token }) => {
    if (token === "third") return undefined;
    const metadata = { resourceVersion: "7" };
    if (limit === undefined) return { metadata, items: ["a", "b", "c"].map(item) };
    const [name, next] = token === undefined ? ["a", "second"] : ["b", "third"];
    return { metadata: { ...metadata, continue: next }, items: [item(name)] };
  }, 1);
  const labelSelector = "app=vllm";
  expect(queries.slice(0, 5)).toEqual([
    { labelSelector, limit: "500" },
    { labelSelector, limit: "500", continue: "second" },
    { labelSelector, limit: "500", continue: "third" },
    { labelSelector },
    expect.objectContaining({ watch: "true", resourceVersion: "7" }),
  ]);
  expect(names.slice(0, 4)).toEqual(["a", "b", "c", "Synced"]);
});

it("a watch asks for bookmarks, and for its end after five minutes and up to a half more", async () => {
  const list = { metadata: { resourceVersion: "7" }, items: [] };
  const { queries } = await queriesOf(() => list, 8);
  const watches = queries.filter(({ watch }) => watch);
  for (const { timeoutSeconds, ...rest } of watches) {
    expect(rest).toEqual({
      ...{ labelSelector: "app=vllm", watch: "true", allowWatchBookmarks: "true" },
      resourceVersion: "7",
    });
    expect(Number(timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(timeoutSeconds)).toBeLessThanOrEqual(450);
  }
  // not all watches of all replicas at once
  expect(new Set(watches.map(({ timeoutSeconds }) => timeoutSeconds)).size).toBeGreaterThan(1);
});
