import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { muster, reader } from "./muster-process.ts";
import { fixture, servePage } from "./page-server.ts";
import { testFolder } from "./running-app.ts";
import type { Shown } from "./shapes.ts";

describe("the muster process", { timeout: 60_000 }, () => {
  it("drains on SIGTERM and exits 0, with a stream open; checks its file again on SIGHUP", async () => {
    await using folder = await testFolder();
    await using server = await servePage(fixture("vllm-0.11.0-v1.prom"));
    const endpoints = join(folder.path, "endpoints.yaml");
    const config = join(folder.path, "muster.yaml");
    await writeFile(endpoints, `endpoints: [{name: a, address: 127.0.0.1, port: ${server.port}}]`);
    const good = `apiVersion: muster/v1
kind: MusterConfig
plugins: [{ type: file-discovery, parameters: { path: ${endpoints} } }]
discovery: { pluginRef: file-discovery }
`;
    await writeFile(config, good);
    const child = muster("run", "--config", config, "--port", "0");
    const log = reader(child, "stderr");
    const url = /http:\/\/\S+/.exec(await reader(child, "stdout")(/http:\/\/\S+\n/))?.[0] ?? "";
    await log(/fleet is running/);
    const stream = await fetch(`${url}/api/watch`);
    child.kill("SIGHUP");
    await log(/configuration is valid; restart to apply it/);
    await writeFile(config, `${good}colour: blue\n`);
    child.kill("SIGHUP");
    await log(/colour.*configuration is not valid/);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(await stream.text()).toContain("event: snapshot");
  });

  it("takes no harm when nobody reads its output", async () => {
    await using folder = await testFolder();
    const endpoints = join(folder.path, "endpoints.yaml");
    const config = join(folder.path, "muster.yaml");
    await writeFile(endpoints, "endpoints: []");
    await writeFile(
      config,
      `{apiVersion: muster/v1, kind: MusterConfig, discovery: {pluginRef: file-discovery},
plugins: [{type: file-discovery, parameters: {path: ${endpoints}}}]}`,
    );
    const check = muster("check", "--config", config);
    check.stdout?.destroy();
    const error = reader(check, "stderr")(/^$/);
    expect(await once(check, "exit")).toEqual([0, null]);
    expect(await error).toBe("");
    const run = muster("run", "--config", config, "--port", "0");
    run.stdout?.destroy();
    await reader(run, "stderr")(/fleet is running/);
    run.kill("SIGTERM");
    expect(await once(run, "exit")).toEqual([0, null]);
  });

  it("demo shows seven fresh endpoints of three engines, and SIGINT ends it", async () => {
    const child = muster("demo", "--port", "0");
    const url = /http:\/\/\S+/.exec(await reader(child, "stdout")(/http:\/\/\S+\n/))?.[0] ?? "";
    const fresh = async (): Promise<Shown["endpoints"]> =>
      ((await (await fetch(`${url}/api/endpoints?state=fresh`)).json()) as Shown).endpoints;
    const until = async (what: (shown: Shown["endpoints"]) => boolean): Promise<void> => {
      const deadline = Date.now() + 20_000;
      while (!what(await fresh()))
        if (Date.now() > deadline) throw new Error(JSON.stringify(await fresh()));
    };
    await until((shown) => shown.length === 7);
    const engines = new Set((await fresh()).map((shown) => shown.attributes.engine?.engine));
    expect([...engines].sort()).toEqual(["sglang", "trtllm-serve", "vllm"]);
    const before = JSON.stringify(
      (await fresh()).map(({ metrics }) => metrics.runningRequestsSize),
    );
    await until(
      (shown) => JSON.stringify(shown.map(({ metrics }) => metrics.runningRequestsSize)) !== before,
    );
    await until((shown) => shown.some(({ metrics }) => Number(metrics.kvCacheUsagePercent) > 0));
    await until((shown) =>
      shown.some(({ attributes }) => (attributes.lora?.active as string[] | undefined)?.length),
    );
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});
