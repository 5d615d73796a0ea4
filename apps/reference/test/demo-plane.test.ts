import { once } from "node:events";
import { rm } from "node:fs/promises";
import process from "node:process";
import { describe, expect, it, vi } from "vitest";
import { muster, reader } from "./muster-process.ts";
import type { Shown } from "./shapes.ts";

const urlOf = (text: string): string => /http:\/\/\S+/.exec(text)?.[0] ?? "";

async function started() {
  const demo = muster("demo", "--discovery", "file-store", "--port", "0");
  const told = reader(demo, "stderr");
  const url = urlOf(await reader(demo, "stdout")(/http:\/\/\S+\n/));
  const hints = await told(/Ctrl-C/);
  const folder = /configuration +(\S+)\/muster\.yaml/.exec(hints)?.[1] ?? "";
  const pids = [...hints.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
  const endpoints = async (filter = ""): Promise<Shown["endpoints"]> =>
    ((await (await fetch(`${url}/api/endpoints${filter}`)).json()) as Shown).endpoints;
  await vi.waitUntil(async () => (await endpoints("?state=fresh")).length === 6, 20_000);
  return { demo, told, folder, pids, endpoints };
}

/** A process that has ended, or is another's by now. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe("muster demo --discovery file-store", { timeout: 90_000 }, () => {
  it("finds servers that register themselves, and loses one that is killed", async () => {
    const { demo, told, pids, endpoints } = await started();
    const shown = await endpoints();
    const engines = new Set(shown.map(({ attributes }) => attributes.engine?.engine));
    expect([...engines].sort()).toEqual(["sglang", "trtllm-serve", "vllm"]);
    // records of adapters are in another bucket, and may come a moment later
    await vi.waitUntil(async () => {
      const adapters = (await endpoints()).flatMap(
        ({ attributes }) => attributes["registered-models"]?.adapters ?? [],
      );
      return JSON.stringify(adapters).includes('"sql-lora"');
    }, 15_000);
    const [victim = 0, ...others] = pids;
    process.kill(victim, "SIGKILL");
    await told(new RegExp(`process ${victim}\\) is gone`));
    await vi.waitUntil(async () => (await endpoints()).length === 5, 15_000);
    const [paused = 0] = others;
    process.kill(paused, "SIGSTOP");
    await vi.waitUntil(async () => (await endpoints()).length === 4, 15_000);
    process.kill(paused, "SIGCONT");
    await vi.waitUntil(async () => (await endpoints()).length === 5, 15_000);
    // each server speaks under its name
    const said = await told(/^vllm-1: own records had vanished/m);
    expect(said).not.toMatch(/^(own|a) record/m);
    demo.kill("SIGINT");
    expect(await once(demo, "exit")).toEqual([0, null]);
    expect(others.map(isGone)).toEqual(others.map(() => true));
  });

  it("leaves no server behind when it is killed itself", async () => {
    const { demo, pids, folder } = await started();
    demo.kill("SIGKILL");
    await vi.waitUntil(() => pids.every(isGone), 15_000);
    await rm(folder, { recursive: true });
  });
});
