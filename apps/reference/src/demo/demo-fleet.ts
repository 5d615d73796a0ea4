import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFleet, createLoad, type FleetServerOptions } from "@muster/sim";
import { stringify } from "yaml";

const adapters = ["sql-lora", "support-lora", "legal-lora"];

/** Small servers, so that queues form under little load. */
const small = { maxRunning: 8, numBlocks: 512, batchTokensPerSecond: 400 } as const;

const servers: readonly FleetServerOptions[] = [
  { name: "vllm-0", engine: "vllm", loras: adapters, maxLoras: 2, ...small },
  { name: "vllm-1", engine: "vllm", loras: adapters, maxLoras: 2, ...small },
  { name: "vllm-dp", engine: "vllm", ranks: 2, ...small },
  { name: "sglang-0", engine: "sglang", ...small },
  { name: "sglang-dp", engine: "sglang", ranks: 2, ...small },
  { name: "trtllm-0", engine: "trtllm-serve", ...small },
  { name: "trtllm-1", engine: "trtllm-serve", ...small },
];

/** A simulated fleet under load, with the files that let the app find it. */
export interface DemoFleet {
  readonly configFile: string;
  /** What there is to look at and to try, each under a heading. */
  readonly hints: readonly (readonly [heading: string, text: string])[];
  /** Ends load and servers and removes the files. */
  stop(): Promise<void>;
}

/** Starts three engines' servers on free ports, sends them load, and writes the app's files. */
export async function startDemoFleet(seed: number): Promise<DemoFleet> {
  const folder = await mkdtemp(join(tmpdir(), "muster-demo-"));
  const fleet = createFleet({ servers, seed });
  await fleet.start();
  const urls = [...fleet.servers.values()].map((server) => server.url);
  const load = createLoad({ targets: urls, seed, rate: urls.length * 1.5 });
  load.start();
  const endpointsFile = join(folder, "endpoints.yaml");
  const configFile = join(folder, "muster.yaml");
  await writeFile(endpointsFile, stringify({ endpoints: fleet.endpoints() }));
  await writeFile(configFile, stringify(config(endpointsFile)));
  const fault = `-H 'content-type: application/json' -d '{"kind":"hang"}'`;
  return {
    configFile,
    hints: [
      ["endpoints file", `${endpointsFile}   (edit it: the page follows)`],
      ["make a server hang", `curl -X POST ${urls[0]}/sim/faults ${fault}`],
    ],
    async stop() {
      await load.stop();
      await fleet.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function config(path: string): object {
  return {
    apiVersion: "muster/v1",
    kind: "MusterConfig",
    pool: { name: "demo", namespace: "default" },
    interval: "500ms",
    plugins: [{ type: "file-discovery", parameters: { path, watchFile: true } }],
    discovery: { pluginRef: "file-discovery" },
  };
}
