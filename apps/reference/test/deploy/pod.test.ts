import { createModelServer } from "@muster/sim";
import { expect, it, vi } from "vitest";
import { parse } from "yaml";
import { deploy, found } from "./deployed.ts";
import { inferencePool } from "./objects.ts";
import { containerOf, podOf } from "./pod-template.ts";
import { renderBase } from "./render.ts";
import { runPod, secret } from "./running-pod.ts";

// each starts a process
vi.setConfig({ testTimeout: 60_000 });

it.each([[[]], [["selector"]], [["service"]]])(
  "the configuration of the base with %j listens where the Deployment says",
  async (components) => {
    const objects = await renderBase(...components);
    const { args, ports, volumeMounts } = containerOf(objects);
    const { data } = found(objects, "ConfigMap") as { data?: unknown };
    const [file, text] = Object.entries(data as Record<string, string>)[0] ?? [];
    expect(args).toEqual(["run", "--config", `${volumeMounts[0]?.mountPath}/${file}`]);
    expect(podOf(objects).serviceAccountName).toBe(found(objects, "ServiceAccount").metadata.name);
    expect(parse(text ?? "")).toMatchObject({
      server: { host: "0.0.0.0", port: ports[0]?.containerPort },
    });
  },
);

it("answers its probes without the token, and nothing else", async () => {
  await using deployed = await deploy();
  await using model = createModelServer({ engine: "vllm", seed: 1 });
  await model.start();
  await using pod = await runPod(deployed);
  const { livenessProbe, readinessProbe, ports } = containerOf(deployed.objects);
  for (const { httpGet } of [livenessProbe, readinessProbe])
    expect(httpGet.port).toBe(ports[0]?.name);
  const status = async (path: string, token?: string): Promise<number> =>
    (await pod.get(path, token)).status;
  expect(await status(livenessProbe.httpGet.path)).toBe(200);
  expect(await status(readinessProbe.httpGet.path)).toBe(503);
  await deployed.apply(inferencePool("v1", model.port));
  await deployed.pod("a");
  await pod.until("serving/a-rank-0");
  await expect.poll(() => status(readinessProbe.httpGet.path)).toBe(200);
  for (const path of ["/api/endpoints", "/metrics"]) {
    expect(await status(path)).toBe(401);
    expect(await status(path, secret)).toBe(200);
  }
  await expect
    .poll(async () => (await pod.get("/api/endpoints?state=fresh", secret)).text())
    .toContain("serving/a-rank-0");
  expect(await pod.terminate()).toBe(0);
});
