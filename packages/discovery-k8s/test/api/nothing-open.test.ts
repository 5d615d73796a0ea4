import process from "node:process";
import { expect, it } from "vitest";
import { createKubeApi, createReflector, directCluster } from "../../src/index.ts";
import { ScriptServer } from "./script-server.ts";

const open = (): string[] =>
  process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name));

/** Lists, then a watch that says nothing. */
const answer: Parameters<typeof ScriptServer.open>[0] = ({ url = "" }, response) => {
  response.writeHead(200);
  if (url.includes("watch=true")) response.flushHeaders();
  else response.end('{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]}');
};

it("leaves no socket and no timer open, wherever it is aborted", async () => {
  await using server = await ScriptServer.open(answer);
  for (const after of [0, 1, 2]) {
    const before = open().length;
    const api = createKubeApi(directCluster({ server: server.url }));
    const resource = { group: "", version: "v1", plural: "pods" };
    const stop = new AbortController();
    const asked = server.requests.length;
    const events = createReflector({ api, resource }).events({ signal: stop.signal });
    const reading = (async () => {
      for await (const _ of events);
    })();
    // at once; while it lists; while it watches
    if (after > 0)
      await expect.poll(() => server.requests.length - asked).toBeGreaterThanOrEqual(after);
    stop.abort();
    await reading;
    api.close();
    await expect.poll(() => open().length).toBeLessThanOrEqual(before);
  }
});
