import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, serve, servePage } from "./page-server.ts";
import { runApp, testFolder } from "./running-app.ts";

const config = (path: string): string => `
apiVersion: muster/v1
kind: MusterConfig
interval: 100ms
plugins:
  - { type: file-discovery, parameters: { path: ${path} } }
  - { type: metrics-data-source, parameters: { timeout: 300ms } }
discovery: { pluginRef: file-discovery }
dataLayer:
  sources:
    - pluginRef: metrics-data-source
`;

describe("a server that fails ends as what it is, and the others stay on time", () => {
  it("when killed, hanging, lying or redirecting", async () => {
    const page = fixture("vllm-0.11.0-v1.prom");
    await using folder = await testFolder();
    await using good = await servePage(page);
    await using killed = await servePage(page);
    await using hanging = await serve(() => undefined);
    await using lying = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>");
    });
    await using redirecting = await serve((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
    });
    await using python = await servePage(fixture("quirks/only-python-series.prom"));
    const servers = { good, killed, hanging, lying, redirecting, python };
    const file = join(folder.path, "endpoints.yaml");
    const lines = Object.entries(servers).map(
      ([name, { port }]) => `  - {name: ${name}, address: 127.0.0.1, port: ${port}}\n`,
    );
    await writeFile(file, `endpoints:\n${lines.join("")}`);
    await using app = await runApp(folder.path, config(file));
    await app.until((all) => all.get("default/killed")?.freshness.state === "fresh");
    await killed[Symbol.asyncDispose]();

    const expected = {
      killed: ["unreachable", "SCRAPE_CONNECT"],
      hanging: ["unreachable", "SCRAPE_TIMEOUT"],
      lying: ["unreachable", "SCRAPE_CONTENT_TYPE"],
      redirecting: ["unreachable", "SCRAPE_REDIRECT"],
    };
    for (const [name, [state, code]] of Object.entries(expected))
      await app.until((all) => {
        const freshness = all.get(`default/${name}`)?.freshness;
        return freshness?.state === state && freshness?.errorCode === code;
      });
    const all = await app.endpoints();
    expect(all.get("default/good")?.freshness).toMatchObject({ state: "fresh", failures: 0 });
    expect(all.get("default/python")?.freshness).toMatchObject({ errorCode: "EXTRACT_NO_ENGINE" });
    expect(all.get("default/python")?.freshness.state).not.toBe("fresh");
    expect(all.get("default/killed")?.metrics.waitingQueueSize).toEqual(expect.any(Number));
    expect(all.get("default/lying")?.metrics.waitingQueueSize).toBeNull();
  });
});
