import { mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture, servePage, type TestServer } from "./page-server.ts";
import { type RunningApp, runApp, testFolder } from "./running-app.ts";

/** As an operator of the endpoint picker has it: schedulers and all, data layer left to defaults. */
const pickerConfig = (path: string): string => `
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: file-discovery
  name: endpoints
  parameters:
    path: ${path}
    watchFile: true
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
  - pluginRef: max-score-picker
discovery:
  pluginRef: endpoints
`;

describe("muster run with an unchanged EndpointPickerConfig follows the endpoints file", () => {
  let folder: Awaited<ReturnType<typeof testFolder>>;
  let server: TestServer;
  let app: RunningApp;
  let file = "";

  const list = (...names: string[]): string =>
    `endpoints:\n${names.map((name) => `- {name: ${name}, address: 127.0.0.1, port: "${server.port}"}\n`).join("")}`;
  const untilNames = (...names: string[]): Promise<void> =>
    app.until(
      (endpoints) =>
        [...endpoints.keys()].sort().join() === names.map((name) => `default/${name}`).join() &&
        [...endpoints.values()].every(({ freshness }) => freshness.state === "fresh"),
    );

  beforeAll(async () => {
    folder = await testFolder();
    server = await servePage(fixture("vllm-0.11.0-v1.prom"));
    file = join(folder.path, "endpoints.yaml");
    await writeFile(file, list("a", "b"));
    app = await runApp(folder.path, pickerConfig(file));
  });
  afterAll(async () => {
    await app.stop();
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it("finds and reads what the file lists", async () => {
    await untilNames("a", "b");
    const a = (await app.endpoints()).get("default/a");
    expect(a?.attributes.engine?.engine).toBe("vllm");
    expect(a?.owner).toBe("file-discovery/endpoints");
  });

  it("follows an edit in place", async () => {
    await writeFile(file, list("a", "b", "c"));
    await untilNames("a", "b", "c");
  });

  it("follows an atomic rename", async () => {
    await writeFile(`${file}.new`, list("b", "c"));
    await rename(`${file}.new`, file);
    await untilNames("b", "c");
  });

  it("keeps the good content when the file is truncated, then follows again", async () => {
    await truncate(file);
    await writeFile(`${file}.bad`, "endpoints: [");
    await rename(`${file}.bad`, file);
    expect((await app.endpoints()).size).toBe(2);
    await writeFile(file, list("b", "c", "d"));
    await untilNames("b", "c", "d");
  });

  it("follows the symlink swap of a ConfigMap", async () => {
    const mount = async (version: string, ...names: string[]): Promise<void> => {
      await mkdir(join(folder.path, version));
      await writeFile(join(folder.path, version, "endpoints.yaml"), list(...names));
      await symlink(version, join(folder.path, "..data_tmp"));
      await rename(join(folder.path, "..data_tmp"), join(folder.path, "..data"));
    };
    await mount("..v1", "e");
    await symlink("..data/endpoints.yaml", join(folder.path, "link"));
    await rename(join(folder.path, "link"), file);
    await untilNames("e");
    await mount("..v2", "e", "f");
    await rm(join(folder.path, "..v1"), { recursive: true });
    await untilNames("e", "f");
    await mount("..v3", "f");
    await untilNames("f");
  });

  it("takes an empty list at its word", async () => {
    await writeFile(`${file}.none`, "endpoints: []\n");
    await rename(`${file}.none`, file);
    await app.until((endpoints) => endpoints.size === 0);
  });

  it("ends with exit code 0 when asked to", async () => {
    expect(await app.stop()).toBe(0);
  });
});
