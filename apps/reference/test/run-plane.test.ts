import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runCli } from "./run-cli.ts";
import { runAppWith, testFolder } from "./running-app.ts";

describe("muster run on a discovery plane", { timeout: 30_000 }, () => {
  it("shows servers that register themselves, with what they registered", async () => {
    await using folder = await testFolder();
    const root = join(folder.path, "plane");
    const url = `${pathToFileURL(root).href}?ttl=2s`;
    await using app = await runAppWith(["--store", url]);
    const ending = new AbortController();
    const sim = ["sim", "--register", "--store", url, "--namespace", "dynamo", "--lora", "SQL.v2"];
    const ended = runCli([...sim, "--model", "Qwen/Qwen3-0.6B"], ending.signal);
    await app.until((shown) => [...shown.values()].some((one) => one.freshness.state === "fresh"));
    const [server] = (await app.endpoints()).values();
    expect(server?.id).toMatch(/^dynamo\/backend-generate-[0-9a-f]+$/);
    expect(server?.metadata.labels).toMatchObject({
      ...{ "muster/namespace": "dynamo", "muster/component": "backend" },
      ...{
        "muster/endpoint": "generate",
        "muster/instance-id": expect.stringMatching(/^[0-9a-f]+$/),
      },
    });
    // records of models are in another bucket, and may come a moment later
    const registered = async (): Promise<unknown> =>
      [...(await app.endpoints()).values()][0]?.attributes["registered-models"];
    await expect.poll(registered, { timeout: 8000, interval: 30 }).toMatchObject({
      models: [{ name: "Qwen/Qwen3-0.6B", sourcePath: "Qwen/Qwen3-0.6B" }],
      adapters: [{ name: "SQL.v2", suffix: "sql_v2" }],
    });
    ending.abort("test ended");
    expect(await ended).toMatchObject({ code: 0, err: "" });
    await app.until((shown) => shown.size === 0);
  });

  it("takes store and namespace from the environment of the fleet", async () => {
    await using folder = await testFolder();
    const env = { DYN_DISCOVERY_BACKEND: "file", DYN_FILE_KV: folder.path, DYN_NAMESPACE: "mine" };
    await using app = await runAppWith([], env);
    const ending = new AbortController();
    const others = runCli(["sim", "--register", "--namespace", "other"], ending.signal, env);
    const mine = runCli(["sim", "--register"], ending.signal, env);
    await app.until((shown) => shown.size > 0);
    expect([...(await app.endpoints()).keys()]).toEqual([expect.stringMatching(/^mine\//)]);
    ending.abort("test ended");
    expect([(await mine).code, (await others).code]).toEqual([0, 0]);
  });

  it("waits for a store that is not up, and says so", async () => {
    await using app = await runAppWith(["--store", "etcd://127.0.0.1:1?timeout=500ms"]);
    const answer = await fetch(`${app.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(JSON.stringify(await answer.json())).toContain("kv-discovery");
    expect(await app.stop()).toBe(0);
  });
});
