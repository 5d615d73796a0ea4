import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKubernetesServer } from "@muster/testkit/kubernetes";
import { expect, it, vi } from "vitest";
import { createKubeApi, directCluster, loadCluster } from "../../src/index.ts";

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock("@kubernetes/client-node", async (original) => {
  loads.count += 1;
  return await original();
});

it("the client library is loaded for a kubeconfig, and not before", {
  timeout: 30_000,
}, async () => {
  const server = createKubernetesServer();
  await server.start();
  const folder = await mkdtemp(join(tmpdir(), "muster-kube-"));
  const path = "/api/v1/namespaces/default";
  const direct = createKubeApi(directCluster({ server: server.url }));
  await direct.request({ path });
  expect(loads.count).toBe(0);
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, server.kubeconfig());
  const configured = createKubeApi(await loadCluster({ kubeconfig }));
  await configured.request({ path });
  expect(loads.count).toBe(1);
  for (const api of [direct, configured]) api.close();
  await server.stop();
  await rm(folder, { recursive: true });
});
