import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { muster, reader } from "./muster-process.ts";
import { type CliRun, runCli } from "./run-cli.ts";

const place = ["--namespace", "dynamo", "--component", "backend", "--endpoint", "generate"];
/** Flags that register a plain server and its model. */
export const server: readonly string[] = [
  ...place,
  "--http",
  "http://10.0.0.7:8000",
  "--model",
  "Qwen/Qwen3-0.6B",
];

/** A store that other processes may reach at `url`, and what its records live for. */
export interface TestStore extends AsyncDisposable {
  readonly url: string;
}

async function listed(url: string, ...flags: string[]): Promise<string[]> {
  const { code, out, err } = await runCli(["discovery", "list", "--store", url, ...flags]);
  expect(code, err).toBe(0);
  return out.split("\n").filter((line) => line !== "");
}

/** What every store has to do for the CLI. */
export function describeCli(open: () => Promise<TestStore>): void {
  it("registers, lists, watches, and takes back when interrupted", async () => {
    await using store = await open();
    const watch = muster("discovery", "watch", "--store", store.url, "--json");
    const watched = reader(watch, "stdout");
    await watched(/"resync","kind":"event-sources"/);
    const held = muster(
      "discovery",
      "register",
      "--store",
      store.url,
      ...server,
      "--lora",
      "SQL.v2",
    );
    const printed = await reader(held, "stdout")(/registered model.*sql_v2\n/);
    const [, id = ""] =
      /^registered endpoint {2}dynamo {2}backend {2}generate {2}([0-9a-f]+) /.exec(printed) ?? [];
    expect(printed).toContain("http http://10.0.0.7:8000/v1/rpc/generate");
    const lines = await listed(store.url, "--json");
    expect(lines[0]).toBe(
      `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":${BigInt(`0x${id}`)},"transport":{"http":"http://10.0.0.7:8000/v1/rpc/generate"}}`,
    );
    expect(lines).toHaveLength(3);
    expect(await listed(store.url, "--namespace", "dyna")).toEqual([]);
    const keys = await listed(store.url, "--keys");
    const key = `v1/mdc/dynamo/backend/generate/${id}`;
    expect(keys).toEqual([`v1/instances/dynamo/backend/generate/${id}`, key, `${key}/sql_v2`]);
    held.kill("SIGTERM");
    expect(await once(held, "exit")).toEqual([0, null]);
    expect(await listed(store.url)).toEqual([]);
    const events = await watched(new RegExp(`"removed".*${key}/sql_v2"`));
    expect(events).toContain(`{"event":"added","record":${lines[0]}}\n`);
    expect(events).toContain(
      `{"event":"removed","kind":"endpoints","key":"${keys[0]}","id":{"Endpoint":{"namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":${BigInt(`0x${id}`)}}}}`,
    );
    watch.kill("SIGINT");
    expect(await once(watch, "exit")).toEqual([0, null]);
  });

  it("lets a killed server vanish, and removes by key and by instance", async () => {
    await using store = await open();
    const held = muster(
      "discovery",
      "register",
      "--store",
      store.url,
      ...server,
      "--instance-id",
      "2a",
    );
    await reader(held, "stdout")(/registered model/);
    const unregister = (...what: string[]): Promise<CliRun> =>
      runCli(["discovery", "unregister", "--store", store.url, ...what]);
    const key = "v1/mdc/dynamo/backend/generate/2a";
    expect(await unregister(key)).toMatchObject({ code: 0, out: `removed ${key}\n` });
    expect(await unregister(key)).toMatchObject({ code: 1, err: `not there: ${key}\n` });
    const other = muster(
      "discovery",
      "register",
      "--store",
      store.url,
      ...server,
      "--instance-id",
      "2b",
    );
    await reader(other, "stdout")(/registered model/);
    const byInstance = await unregister("--namespace", "dynamo", "--instance-id", "2b");
    expect(byInstance.out).toBe(
      "removed v1/instances/dynamo/backend/generate/2b\nremoved v1/mdc/dynamo/backend/generate/2b\n",
    );
    other.kill("SIGKILL");
    held.kill("SIGKILL");
    await vi.waitUntil(async () => (await listed(store.url, "--keys")).length === 0, 20_000);
  });
}
