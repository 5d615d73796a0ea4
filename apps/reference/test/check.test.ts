import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "./run-cli.ts";
import { testFolder } from "./running-app.ts";

const check = async (config: string): Promise<Awaited<ReturnType<typeof runCli>>> => {
  await using folder = await testFolder();
  const file = join(folder.path, "muster.yaml");
  await writeFile(file, config);
  return runCli(["check", "--config", file]);
};

describe("muster check", () => {
  it("prints what is wired to what, and why", async () => {
    const { code, out } = await check(`
apiVersion: muster/v1
kind: MusterConfig
plugins:
  - { name: endpoints, type: file-discovery, parameters: { path: endpoints.yaml } }
discovery: { pluginRef: endpoints }
`);
    expect(code).toBe(0);
    expect(out).toMatch(
      /discovery -> store\n {2}file-discovery\/endpoints {2}\(.*muster\.yaml:5:\d+/,
    );
    expect(out).toMatch(
      /metrics-data-source\/metrics-data-source every 1000 ms {2}\(added by injectDefaults\)/,
    );
    expect(out).toContain("<- core-metrics-extractor/core-metrics-extractor");
    expect(out).toContain("<- lora-extractor/lora-extractor");
    expect(out).toContain("server  http://127.0.0.1:");
  });

  it("prints where notification sources get their events from, though nobody said", async () => {
    const source = "{ type: k8s-notification-source, parameters: { version: v1, kind: Pod } }";
    const config = (plugins: string) => `
apiVersion: muster/v1
kind: MusterConfig
plugins: [{ type: file-discovery, parameters: { path: e.yaml } }, ${plugins}]
dataLayer:
  discovery: { pluginRef: file-discovery }
  sources: [{ pluginRef: k8s-notification-source }]
`;
    const brought = await check(config(source));
    expect(brought.out).toContain(
      "object watcher -> notification sources\n  k8s-object-watcher/k8s-object-watcher  (brought by k8s-notification-source/k8s-notification-source)\n",
    );
    const watcher = "{ type: k8s-object-watcher, name: all, parameters: { namespaces: all } }";
    const configured = await check(config(`${source}, ${watcher}`));
    expect(configured.out).toMatch(/ {2}k8s-object-watcher\/all {2}\(.*muster\.yaml:4:/);
  });

  it("refuses a second notification source for a kind", async () => {
    const { code, err } = await check(`
apiVersion: muster/v1
kind: MusterConfig
plugins:
  - { type: file-discovery, parameters: { path: e.yaml } }
  - { type: k8s-notification-source, name: one, parameters: { version: v1, kind: Pod } }
  - { type: k8s-notification-source, name: two, parameters: { group: "", version: v1, kind: Pod } }
dataLayer:
  discovery: { pluginRef: file-discovery }
  sources: [{ pluginRef: one }, { pluginRef: two }]
`);
    expect(code).toBe(2);
    expect(err).toMatch(
      /muster\.yaml:10:\d+: .*two notification sources for v1, Kind=Pod.*SOURCE_COLLISION/,
    );
  });

  it("prints every problem at its place, and exits 2", async () => {
    const { code, out, err } = await check(`apiVersion: muster/v1
kind: MusterConfig
intervall: 1s
plugins:
  - type: file-discovry
  - type: metrics-data-source
    parameters: { interval: soon }
discovery: { pluginRef: nobody }
`);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toMatch(/muster\.yaml:3:1: .*intervall.*interval/);
    expect(err).toMatch(/muster\.yaml:5:\d+: .*file-discovry.*file-discovery/);
    expect(err).toMatch(/muster\.yaml:7:\d+: .*interval/);
    expect(err).toMatch(/muster\.yaml:8:\d+: .*nobody/);
  });

  it("refuses to listen for others without a token", async () => {
    const { code, err } = await check(`
apiVersion: muster/v1
kind: MusterConfig
plugins: [{ type: file-discovery, parameters: { path: e.yaml } }]
discovery: { pluginRef: file-discovery }
server: { host: 0.0.0.0 }
`);
    expect(code).toBe(2);
    expect(err).toContain("MUSTER_TOKEN");
  });

  it("says which file cannot be read", async () => {
    const { code, err } = await runCli(["check", "--config", "/no/such/file.yaml"]);
    expect(code).toBe(2);
    expect(err).toContain("/no/such/file.yaml");
  });

  it.each([
    [[], 2, /Usage: muster/],
    [["--help"], 0, /run .*check .*inspect .*sim .*demo/s],
    [["run", "--help"], 0, /--config <file>.*--log-level/s],
    [["run"], 2, /give --config FILE, or --store URL \[USAGE\]/],
    [
      ["run", "--config", "a", "--store", "file:///d"],
      2,
      /a configuration says itself which store/,
    ],
    [["check"], 2, /required option '--config <file>'/],
    [["run", "--config", "x", "--prot", "1"], 2, /unknown option '--prot'.*--port/s],
    [["run", "--config", "x", "--port", "70000"], 2, /0 \(any free one\) to 65535/],
    [["rn"], 2, /unknown command 'rn'.*run/s],
    [["check", "--config", "x", "y"], 2, /too many arguments/],
    [["--version"], 0, /^\d+\.\d+\.\d+\n$/],
  ])("answers the call %j with exit code %d", async (args, expected, text) => {
    const { code, out, err } = await runCli(args);
    expect(code).toBe(expected);
    expect(out + err).toMatch(text);
  });
});
