import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createKubeApi,
  createReflector,
  directCluster,
  type KubeApi,
  type Reflector,
  type ReflectorTiming,
} from "../src/index.ts";

const pods = { group: "", version: "v1", plural: "pods" };
const path = "/api/v1/namespaces/default/pods";

let server: KubernetesServer;
let api: KubeApi;
let stop: AbortController;

beforeEach(async () => {
  server = createKubernetesServer();
  await server.start();
  api = createKubeApi(directCluster({ server: server.url }));
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  api.close();
  await server.stop();
});

const create = (name: string): Promise<unknown> =>
  api.request({
    method: "POST",
    path,
    body: { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } },
  });

const remove = (name: string): Promise<unknown> =>
  api.request({ method: "DELETE", path: `${path}/${name}` });

/** Reads a reflector until the test ends, and remembers what it was told. */
class Reader {
  readonly names = new Set<string>();
  synced = 0;
  readonly reflector: Reflector;

  constructor(timing: Partial<ReflectorTiming> = {}) {
    this.reflector = createReflector({ api, resource: pods, namespace: "default", timing });
    void this.#read(stop.signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    for await (const event of this.reflector.events({ signal })) {
      if (event.type === "Synced") this.synced += 1;
      else if (event.type === "Deleted") this.names.delete(event.object.metadata.name);
      else this.names.add(event.object.metadata.name);
    }
  }

  async settles(...expected: string[]): Promise<void> {
    const patience = { timeout: 4000, interval: 5 };
    await expect.poll(() => [...this.names].sort(), patience).toEqual(expected);
  }
}

const fast: Partial<ReflectorTiming> = { retryInitial: 10, retryCap: 50, silence: 200 };

describe("a reflector", () => {
  it("reports what is there, then what comes and goes", async () => {
    await create("a");
    const seen = new Reader();
    await seen.settles("a");
    await create("b");
    await seen.settles("a", "b");
    await remove("a");
    await seen.settles("b");
    expect(seen.synced).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ["a dropped connection", () => server.faults.dropWatches()],
    ["a clean end", () => server.faults.endWatches()],
    ["garbage", () => server.faults.garbage()],
    ["an error event", () => server.faults.errorEvent(500)],
    ["410 by event", () => server.faults.errorEvent(410, "Expired")],
    ["silence", () => server.faults.silence()],
    ["a lost deletion and a drop", () => server.faults.loseDeletions(1)],
  ])("survives %s", async (what, happen) => {
    await create("a");
    await create("b");
    const seen = new Reader(fast);
    await seen.settles("a", "b");
    await expect.poll(() => server.openWatches).toBe(1);
    happen();
    await remove("a");
    await create("c");
    if (what.startsWith("a lost")) server.faults.dropWatches();
    await seen.settles("b", "c");
  });

  it("survives a server that is away, and one that fails to list", async () => {
    await create("a");
    const seen = new Reader(fast);
    await seen.settles("a");
    await server.stop();
    await server.start();
    // a write is not repeated when its connection turns out to be dead
    await api.request({ path });
    server.faults.fail({ verb: "list", resource: "pods", status: 500, times: 5 });
    await create("b");
    await seen.settles("a", "b");
    await expect.poll(() => seen.reflector.state.problem).toBeUndefined();
    expect(seen.reflector.state.objects).toBe(2);
  });
});
