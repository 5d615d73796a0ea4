import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import type { DemoFleet } from "./demo-fleet.ts";
import { type SimProcess, startSimProcess } from "./sim-process.ts";

/** Short, so that a killed server is seen to vanish. */
const ttl = "3s";

const namespace = "demo";

/** Servers of one engine are one component. */
const components = [
  { component: "vllm", metricsPath: "/metrics" },
  { component: "sglang", metricsPath: "/metrics" },
  { component: "trtllm", metricsPath: "/prometheus/metrics" },
] as const;

const servers: readonly { name: string; component: string; args: readonly string[] }[] = [
  { name: "vllm-0", component: "vllm", args: ["--lora", "sql-lora", "support-lora"] },
  { name: "vllm-1", component: "vllm", args: ["--lora", "sql-lora", "legal-lora"] },
  { name: "vllm-2", component: "vllm", args: [] },
  { name: "sglang-0", component: "sglang", args: ["--engine", "sglang"] },
  { name: "sglang-1", component: "sglang", args: ["--engine", "sglang", "--ranks", "2"] },
  { name: "trtllm-0", component: "trtllm", args: ["--engine", "trtllm-serve"] },
];

/**
 * Starts servers that are processes of their own, registered by themselves in a file store, and writes
 * the configuration with which the app finds them there.
 */
export async function startPlaneFleet(
  seed: number,
  tell: (text: string) => void,
): Promise<DemoFleet> {
  const folder = await mkdtemp(join(tmpdir(), "muster-demo-"));
  const root = join(folder, "store");
  const storeUrl = `${pathToFileURL(root).href}?ttl=${ttl}`;
  const started = await Promise.allSettled(
    servers.map(({ name, component, args }, index) =>
      startSimProcess(
        name,
        [
          ...[
            "--register",
            "--store",
            storeUrl,
            "--namespace",
            namespace,
            "--component",
            component,
          ],
          ...["--seed", String(seed + index), "--load", "4", ...args],
        ],
        tell,
      ),
    ),
  );
  const running = started.flatMap((result) =>
    result.status === "fulfilled" ? [result.value] : [],
  );
  const fleet = planeFleet(folder, storeUrl, running);
  const failed = started.find((result) => result.status === "rejected");
  if (failed === undefined) {
    await writeFile(fleet.configFile, stringify(config(root)));
    for (const { name, pid, lost } of running)
      lost.then(() => tell(`${name} (process ${pid}) is gone\n`));
    return fleet;
  }
  await fleet.stop();
  throw failed.reason;
}

function planeFleet(folder: string, storeUrl: string, running: readonly SimProcess[]): DemoFleet {
  const [first] = running;
  return {
    configFile: join(folder, "muster.yaml"),
    hints: [
      ["store", `${command()} discovery list --store "${storeUrl}"`],
      ...running.map(({ name, pid, url }): [string, string] => [name, `process ${pid}, ${url}`]),
      ["lose a server", `kill -9 ${first?.pid}   (it vanishes within seconds)`],
    ],
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** How this was started, for people to start it again. */
function command(): string {
  const script = process.argv[1] ?? "";
  return basename(script) === "muster" ? "muster" : `node ${script}`;
}

/** One discovery for each engine, since their metrics pages have different paths. */
function config(root: string): object {
  const plugins = components.map(({ component, metricsPath }) => ({
    name: component,
    type: "kv-discovery",
    parameters: {
      store: { type: "file", root, ttl },
      ...{ namespace, component },
      metrics: { path: metricsPath },
    },
  }));
  return {
    apiVersion: "muster/v1",
    kind: "MusterConfig",
    pool: { name: "demo", namespace },
    interval: "500ms",
    plugins,
    discovery: plugins.map(({ name }) => ({ pluginRef: name })),
  };
}
