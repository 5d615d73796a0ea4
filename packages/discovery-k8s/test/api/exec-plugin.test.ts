import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { KubeConfig } from "@kubernetes/client-node";
import type { MusterError } from "@muster/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExecLimits, limitExecPlugins } from "../../src/api/exec-plugin.ts";
import { loadCluster } from "../../src/index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-exec-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A kubeconfig whose user has a plugin that runs these statements. */
async function kubeconfigWith(statements: string, user: object = {}): Promise<string> {
  const command = join(folder, "plugin.mjs");
  await writeFile(command, `#!${process.execPath}\n${statements}\n`);
  await chmod(command, 0o755);
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command };
  const path = join(folder, "kubeconfig");
  const config = {
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { exec, ...user } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

async function failureOf(statements: string): Promise<MusterError> {
  const cluster = await loadCluster({ kubeconfig: await kubeconfigWith(statements) });
  return await cluster.credentials().then(
    () => Promise.reject(new Error("it gave credentials")),
    (error: MusterError) => error,
  );
}

/** Runs the plugin within these limits; gives what was wrong. */
async function run(statements: string, limits: ExecLimits): Promise<string | undefined> {
  const config = new KubeConfig();
  config.loadFromFile(await kubeconfigWith(statements));
  const { problem, ended } = await applied(config, limits);
  expect(ended).toBe("rejected");
  return problem;
}

async function applied(config: KubeConfig, limits: ExecLimits) {
  const run = limitExecPlugins(config, limits);
  const [{ status: ended }] = await Promise.allSettled([config.applyToHTTPSOptions({})]);
  return { ended, problem: run.problem };
}

const status = { token: "abc", expirationTimestamp: "2999-01-01T00:00:00Z" };
const answer = `console.log(${JSON.stringify(JSON.stringify({ status }))});`;

describe("an exec plugin", { timeout: 20_000 }, () => {
  it("that fails is named, and nothing told of what it said, which may be a secret", async () => {
    const error = await failureOf('console.error("token s3cr3t"); process.exitCode = 7;');
    expect(error.code).toBe("KUBE_CONFIG");
    expect(error.message).toMatch(/plugin\.mjs" ended with code 7; run it by hand to see why$/);
    expect(`${error.stack} ${(error.cause as Error).stack}`).not.toContain("s3cr3t");
  });

  it.each(["{}", '"s3cr3t"', '{"status":null}'])(
    "that prints %s has no credentials",
    async (text) => {
      const error = await failureOf(`console.log(${JSON.stringify(text)});`);
      expect(error).toMatchObject({
        code: "KUBE_CONFIG",
        message: "cannot get credentials: it does not have the form that it must have",
      });
    },
  );

  it("that waits for input finds none", async () => {
    const kubeconfig = await kubeconfigWith(`for await (const _ of process.stdin); ${answer}`);
    const cluster = await loadCluster({ kubeconfig });
    expect(await cluster.credentials()).toMatchObject({ authorization: "Bearer abc" });
  });

  it("that hangs is ended, also when what it has started holds its output", async () => {
    const pids = join(folder, "pids");
    const problem = await run(
      `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 30000)"], { stdio: "inherit" });
writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid);
setTimeout(() => {}, 30_000);`,
      { timeout: 3000 },
    );
    expect(problem).toMatch(/plugin\.mjs" took longer than 3000 ms; run it by hand to see why$/);
    const [plugin, child] = (await readFile(pids, "utf8")).split(" ").map(Number);
    process.kill(Number(child), "SIGKILL");
    expect(() => process.kill(Number(plugin), 0)).toThrow(/ESRCH/);
  });

  it("that hangs holds up the end of the process only while somebody waits", async () => {
    const pid = join(folder, "pid");
    const kubeconfig = await kubeconfigWith(
      `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(pid)}, String(process.pid));
setTimeout(() => {}, 30_000);`,
    );
    const cluster = await loadCluster({ kubeconfig });
    const open = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => /Timeout|Process|Pipe/.test(name));
    const before = open();
    const stop = new AbortController();
    const asked = cluster.credentials({ signal: stop.signal }).catch((error: unknown) => error);
    expect(open()).toEqual([...before, "Timeout"]);
    stop.abort();
    expect(open()).toEqual(before);
    await expect
      .poll(() => readFile(pid, "utf8").catch(() => ""), { timeout: 10_000 })
      .not.toBe("");
    process.kill(Number(await readFile(pid, "utf8")), "SIGKILL");
    expect(await asked).toMatchObject({ code: "KUBE_CONFIG" });
  });

  it("that cannot be started is named", async () => {
    const kubeconfig = await kubeconfigWith(answer);
    await rm(join(folder, "plugin.mjs"));
    const cluster = await loadCluster({ kubeconfig });
    await expect(cluster.credentials()).rejects.toThrow(/plugin\.mjs" could not be started/);
  });

  it("that has no end of what to say is ended", async () => {
    // not by the console, which keeps to itself what a pipe does not take at once
    const endless = 'import { writeSync } from "node:fs"; for (;;) writeSync(2, "x".repeat(1000));';
    expect(await run(endless, { maxOutput: 10_000 })).toMatch(/said more than 10000 bytes/);
  });
});

it("a kubeconfig that says whom to impersonate is refused, not followed in part", async () => {
  const kubeconfig = await kubeconfigWith(answer, { as: "somebody" });
  await expect(loadCluster({ kubeconfig })).rejects.toMatchObject({
    code: "KUBE_CONFIG",
    message: expect.stringContaining("`as` of the kubeconfig's user is not supported"),
  });
});
