import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { inspect } from "node:util";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Cluster,
  createKubeApi,
  createReflector,
  directCluster,
  type KubeApi,
  loadCluster,
} from "../../src/index.ts";

let folder: string;
let server: KubernetesServer;
let api: KubeApi | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-kube-"));
  server = createKubernetesServer({ token: "first" });
  await server.start();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  api?.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

const pods = { group: "", version: "v1", plural: "pods" };
const list = { path: "/api/v1/namespaces/default/configmaps" };

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function open(cluster: Cluster): KubeApi {
  api = createKubeApi(cluster);
  return api;
}

/** A plugin that counts its calls and gives the token of a file. */
async function plugin(token: string, expires: string): Promise<string> {
  const script = await file(
    "plugin.mjs",
    `#!${process.execPath}
import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(folder, "calls"))}, "x");
const token = readFileSync(${JSON.stringify(token)}, "utf8");
const status = { token, expirationTimestamp: ${JSON.stringify(expires)} };
console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status }));
`,
  );
  await chmod(script, 0o755);
  const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: script };
  for (const user of config.users) user.user = { exec };
  return await file("kubeconfig", JSON.stringify(config));
}

describe("credentials", { timeout: 30_000 }, () => {
  it("a token file that is written anew counts at once", async () => {
    const tokenFile = await file("token", "first\n");
    const kube = open(directCluster({ server: server.url, tokenFile }));
    await kube.request(list);
    const second = server.addServiceAccount("default", "reader");
    await writeFile(tokenFile, second);
    await expect(kube.request(list)).rejects.toMatchObject({
      code: "KUBE_FORBIDDEN",
      message: expect.stringContaining('cannot list resource "configmaps" in API group ""'),
    });
  });

  it("a missing token file is named", async () => {
    const tokenFile = join(folder, "none");
    const kube = open(directCluster({ server: server.url, tokenFile }));
    await expect(kube.request(list)).rejects.toMatchObject({
      code: "KUBE_CONFIG",
      path: tokenFile,
    });
  });

  it("a token that expires in the middle of a run: the exec plugin is asked again", async () => {
    const token = await file("plugin-token", "first");
    const kubeconfig = await plugin(token, "2999-01-01T00:00:00Z");
    const kube = open(await loadCluster({ kubeconfig }));
    const stop = new AbortController();
    const timing = { retryInitial: 10, retryCap: 50 };
    const reflector = createReflector({ api: kube, resource: pods, namespace: "default", timing });
    const codes: (string | undefined)[] = [];
    const events = reflector.events({
      signal: stop.signal,
      onInterruption: (problem) => codes.push(problem?.code),
    });
    const reading = (async () => {
      for await (const _ of events);
    })();
    await expect.poll(() => server.openWatches, { timeout: 20_000 }).toBe(1);
    expect(await readFile(join(folder, "calls"), "utf8")).toBe("x");
    server.revokeToken("first");
    server.faults.dropWatches();
    await expect.poll(() => codes, { timeout: 20_000 }).toContain("KUBE_AUTH");
    await writeFile(token, server.addServiceAccount("default", "nobody"));
    await expect.poll(() => codes, { timeout: 20_000 }).toContain("KUBE_FORBIDDEN");
    stop.abort();
    await reading;
  });

  it("the token file of a kubeconfig goes before its token, begins from its folder, and is read anew", async () => {
    await file("token", "first\n");
    const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
    for (const user of config.users) user.user = { token: "stale", tokenFile: "token" };
    const kube = open(
      await loadCluster({ kubeconfig: await file("kubeconfig", JSON.stringify(config)) }),
    );
    await kube.request(list);
    await file("token", server.addServiceAccount("default", "reader"));
    server.revokeToken("first");
    await expect(kube.request(list)).rejects.toMatchObject({ code: "KUBE_FORBIDDEN" });
  });

  it("a token file that a kubeconfig names and that is not there is named", async () => {
    const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
    for (const user of config.users) user.user = { tokenFile: "none" };
    const kubeconfig = await file("kubeconfig", JSON.stringify(config));
    await expect(open(await loadCluster({ kubeconfig })).request(list)).rejects.toMatchObject({
      code: "KUBE_CONFIG",
      message: expect.stringContaining(join(folder, "none")),
    });
  });

  it("an exec plugin is asked once for many requests, whatever it says of its end", async () => {
    const kubeconfig = await plugin(await file("plugin-token", "first"), "1999-01-01T00:00:00Z");
    const kube = open(await loadCluster({ kubeconfig }));
    await Promise.all([1, 2, 3].map(() => kube.request(list)));
    await kube.request(list);
    expect(await readFile(join(folder, "calls"), "utf8")).toBe("x");
  });

  it("an exec plugin that fails is a configuration that does not work", async () => {
    const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
    for (const user of config.users) user.user = { exec: { command: join(folder, "none") } };
    const kubeconfig = await file("kubeconfig", JSON.stringify(config));
    const kube = open(await loadCluster({ kubeconfig }));
    await expect(kube.request(list)).rejects.toMatchObject({
      code: "KUBE_CONFIG",
      path: kubeconfig,
    });
  });

  it("nothing that was read as a secret is told when it cannot be understood", async () => {
    const users = "users:\n- name: me\n  user:\n    token: c2VjcmV0\n   bad: [\n";
    const refused = loadCluster({ kubeconfig: await file("kubeconfig", users) });
    const yaml = await refused.catch((error: unknown) => error);
    expect(yaml).toMatchObject({
      code: "KUBE_CONFIG",
      message: expect.stringMatching("see line 5$"),
    });
    const script = await file("plain.mjs", `#!${process.execPath}\nconsole.log("c2VjcmV0");\n`);
    await chmod(script, 0o755);
    const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
    for (const user of config.users) user.user = { exec: { command: script } };
    const kubeconfig = await file("kubeconfig", JSON.stringify(config));
    const kube = open(await loadCluster({ kubeconfig }));
    const json = await kube.request(list).catch((error: unknown) => error);
    expect(json).toMatchObject({ code: "KUBE_CONFIG", message: expect.stringMatching("no JSON$") });
    for (const error of [yaml, json]) expect(inspect(error)).not.toContain("c2VjcmV0");
  });

  it("without a kubeconfig nothing is guessed", async () => {
    vi.stubEnv("KUBECONFIG", "");
    vi.stubEnv("HOME", folder);
    await expect(loadCluster()).rejects.toMatchObject({
      code: "KUBE_CONFIG",
      message: expect.stringContaining("set KUBECONFIG, or configure the `cluster`"),
    });
  });

  it.each<[string, (config: { clusters: { cluster: object }[] }) => unknown]>([
    ["no cluster", () => ({})],
    [
      "a proxy",
      (config) => Object.assign(config.clusters[0]?.cluster ?? {}, { "proxy-url": "http://p" }),
    ],
    [
      "a server that is none",
      (config) => Object.assign(config.clusters[0]?.cluster ?? {}, { server: "ftp://x" }),
    ],
  ])("a kubeconfig with %s is refused", async (what, spoil) => {
    const config = JSON.parse(server.kubeconfig());
    spoil(config);
    const content = what === "no cluster" ? "{}" : JSON.stringify(config);
    const kubeconfig = await file("kubeconfig", content);
    await expect(loadCluster({ kubeconfig })).rejects.toMatchObject({ code: "KUBE_CONFIG" });
  });

  it("a context that is not there is named, with those that are", async () => {
    const kubeconfig = await file("kubeconfig", server.kubeconfig());
    await expect(loadCluster({ kubeconfig, context: "prod" })).rejects.toMatchObject({
      code: "KUBE_CONFIG",
      message: 'there is no context "prod"; there are test',
    });
    expect((await loadCluster({ kubeconfig, context: "test" })).namespace).toBe("default");
  });

  it.each<[string, string]>([
    ["", "default"],
    ["serving\n", "serving"],
  ])("the namespace %j of a context is %s", async (namespace, is) => {
    const config = JSON.parse(server.kubeconfig());
    config.contexts[0].context.namespace = namespace;
    const kubeconfig = await file("kubeconfig", JSON.stringify(config));
    expect((await loadCluster({ kubeconfig })).namespace).toBe(is);
  });
});
