import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Discovery } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createFileStore } from "@muster/discovery-kv/file";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createGateway } from "../src/gateway.ts";
import { followRoster } from "../src/roster.ts";

let root: string;
let discovery: Discovery;
let gateway: Server;
let url: string;
const programs: ChildProcess[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "muster-plane-"));
  discovery = createKvDiscovery(createFileStore({ root, ttl: "2s" }));
  gateway = createGateway(await followRoster(discovery, "example", new AbortController().signal));
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const program of programs.splice(0)) program.kill("SIGKILL");
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
  await discovery.close();
  rmSync(root, { recursive: true });
});

/** One of the programs of this example as a process of its own, from its sources; and its first words. */
async function start(name: string, ...args: string[]): Promise<[ChildProcess, string]> {
  const main = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const flags = ["--import", "tsx", "--conditions=@muster/source"];
  const child = spawn(process.execPath, [...flags, main, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  programs.push(child);
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${name} ended`)));
  const [said] = await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => undefined);
  return [child, String(said)];
}

async function worker(model: string): Promise<ChildProcess> {
  const [child] = await start("main-worker", root, model, model);
  return child;
}

async function models(at = url): Promise<string[]> {
  const { data } = (await (await fetch(`${at}/v1/models`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function ask(
  model: string,
  path = "/v1/chat/completions",
): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ model, messages: [] });
  const response = await fetch(`${url}${path}`, { method: "POST", body });
  return { status: response.status, text: await response.text() };
}

it("serves what workers register, in turn, without those that stop or are killed", async () => {
  expect(await models()).toEqual([]);
  expect((await ask("a")).status).toBe(404);
  const [first, second] = [await worker("a"), await worker("a")];
  await vi.waitUntil(async () => (await models()).length === 1, 10_000);
  const answers = new Set<string>();
  await vi.waitUntil(async () => answers.add((await ask("a")).text).size === 2, 10_000);
  expect((await ask("a", "//elsewhere.invalid/")).status).toBe(200);
  expect((await ask("a".repeat(2 * 1024 * 1024))).status).toBe(413);
  first.kill("SIGTERM");
  expect(await once(first, "exit")).toEqual([0, null]);
  await vi.waitUntil(async () => {
    const [one, other] = [await ask("a"), await ask("a")];
    return one.status === 200 && one.text === other.text;
  }, 10_000);
  await worker("b");
  await vi.waitUntil(async () => (await models()).join() === "a,b", 10_000);
  second.kill("SIGKILL");
  await vi.waitUntil(async () => (await models()).join() === "b", 15_000);
  expect((await ask("a")).status).toBe(404);
}, 60_000);

it("is a program of its own, which ends when it is told to", async () => {
  await worker("a");
  const [program, said] = await start("main-gateway", root, "0");
  const [at = ""] = /http:\S+/.exec(said) ?? [];
  expect(await models(at)).toEqual(["a"]);
  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([0, null]);
}, 60_000);
