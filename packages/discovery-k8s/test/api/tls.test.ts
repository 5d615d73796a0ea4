import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterTls,
  createKubeApi,
  directCluster,
  type KubeApi,
  loadCluster,
} from "../../src/index.ts";

const pem = (name: string): Promise<string> =>
  readFile(new URL(`../../../../fixtures/tls/${name}.pem`, import.meta.url), "utf8");
const list = { path: "/api/v1/namespaces/default/pods" };

let server: KubernetesServer;
let trusted: ClusterTls;
let known: ClusterTls;
const apis: KubeApi[] = [];

beforeEach(async () => {
  const [ca, cert, key] = await Promise.all(["ca", "client", "client-key"].map(pem));
  trusted = { ca, serverName: "model.test" };
  known = { ...trusted, cert, key };
  const tls = { cert: await pem("server"), key: await pem("server-key"), clientCa: ca };
  server = createKubernetesServer({ tls });
  await server.start();
});
afterEach(async () => {
  for (const api of apis.splice(0)) api.close();
  await server.stop();
});

function open(tls: ClusterTls | (() => Promise<ClusterTls>)): KubeApi {
  const api = createKubeApi(directCluster({ server: server.url, tls }));
  apis.push(api);
  return api;
}

describe("TLS", { timeout: 30_000 }, () => {
  it("lets a client certificate in, where the authority is trusted", async () => {
    expect(await open(known).request(list)).toMatchObject({ kind: "PodList" });
  });

  it("a client without a certificate is nobody", async () => {
    await expect(open(trusted).request(list)).rejects.toMatchObject({ code: "KUBE_AUTH" });
  });

  it("refuses an authority that is not trusted, and another name", async () => {
    const strange = open({ serverName: "model.test" }).request(list);
    await expect(strange).rejects.toMatchObject({ code: "KUBE_TLS" });
    const other = open({ ...known, serverName: "other.test" }).request(list);
    await expect(other).rejects.toMatchObject({ code: "KUBE_TLS" });
    expect(await open({ ...known, ca: undefined, verify: false }).request(list)).toBeDefined();
  });

  it("a certificate that was rotated counts for the next request", async () => {
    let current = trusted;
    const api = open(async () => current);
    await expect(api.request(list)).rejects.toMatchObject({ code: "KUBE_AUTH" });
    current = known;
    expect(await api.request(list)).toBeDefined();
    current = trusted;
    await expect(api.request(list)).rejects.toMatchObject({ code: "KUBE_AUTH" });
  });

  it("reads authority, certificate, key and server name of a kubeconfig", async () => {
    const { ca, cert, key } = known;
    const folder = await mkdtemp(join(tmpdir(), "muster-tls-"));
    const kubeconfig = join(folder, "config");
    const names = { clientCert: cert, clientKey: key, serverName: "model.test" };
    await writeFile(kubeconfig, server.kubeconfig({ ca, ...names }));
    const api = createKubeApi(await loadCluster({ kubeconfig }));
    apis.push(api);
    expect(await api.request(list)).toMatchObject({ kind: "PodList" });
    await rm(folder, { recursive: true });
  });
});
