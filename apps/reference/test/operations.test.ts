import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runApp, testFolder } from "./running-app.ts";

it("docs/operations.md lists exactly the metrics that the app has", async () => {
  await using folder = await testFolder();
  const endpoints = join(folder.path, "endpoints.yaml");
  await writeFile(endpoints, "endpoints: []");
  // nothing answers at port 1: what a store measures is there all the same
  const stores = {
    file: `{ type: file, root: ${join(folder.path, "plane")} }`,
    etcd: '{ type: etcd, endpoints: "http://127.0.0.1:1" }',
    nats: '{ type: nats, servers: "nats://127.0.0.1:1" }',
  };
  const plugins = Object.entries(stores).map(
    ([name, store]) => `  - { type: kv-discovery, name: ${name}, parameters: { store: ${store} } }`,
  );
  const names = ["file-discovery", "k8s-discovery", ...Object.keys(stores)];
  await using app = await runApp(
    folder.path,
    `apiVersion: muster/v1
kind: MusterConfig
plugins:
  - { type: file-discovery, parameters: { path: ${endpoints} } }
  - type: k8s-discovery
    parameters: { inferencePool: { name: llama }, cluster: { server: "http://127.0.0.1:1" } }
${plugins.join("\n")}
discovery: [${names.map((name) => `{ pluginRef: ${name} }`).join(", ")}]
`,
  );
  const docs = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const listed = [...docs.matchAll(/^\| `(muster_\w+)/gm)].map((match) => match[1]);
  const shown = async (): Promise<(string | undefined)[]> => {
    const page = await (await fetch(`${app.url}/metrics`)).text();
    return [...page.matchAll(/^# TYPE (muster_\w+) /gm)].map((match) => match[1]).sort();
  };
  await expect.poll(shown, { timeout: 10_000, interval: 50 }).toEqual(listed.sort());
});
