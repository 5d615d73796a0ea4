import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLogger } from "./logger.ts";
import { recheckConfig } from "./recheck-config.ts";

const good = `apiVersion: muster/v1
kind: MusterConfig
plugins: [{ type: file-discovery, parameters: { path: endpoints.yaml } }]
discovery: { pluginRef: file-discovery }
`;

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-recheck-"));
  file = join(folder, "muster.yaml");
  await writeFile(file, good);
});
afterEach(() => rm(folder, { recursive: true }));

it("checks again when the file changes and on SIGHUP, all that muster check checks", async () => {
  const logged: { level: number; why: string; warnings?: string[]; problems?: string[] }[] = [];
  const logger = createLogger("info", { write: (line) => void logged.push(JSON.parse(line)) });
  const stop = recheckConfig({ file, flags: {}, env: {}, logger, interval: 20 });
  const lines = async (count: number): Promise<typeof logged> => {
    await vi.waitUntil(() => logged.length >= count, 5000);
    return logged;
  };
  try {
    process.emit("SIGHUP");
    const [valid] = await lines(1);
    expect(valid).toMatchObject({ level: 30, why: "SIGHUP", warnings: [] });
    await writeFile(file, `${good}dataLayer: { injectDefaults: false }\n`);
    const [, unwired] = await lines(2);
    expect(unwired).toMatchObject({ level: 50, why: "file changed" });
    expect(unwired?.problems).toEqual([expect.stringContaining("[RUNTIME_EMPTY]")]);
    await writeFile(file, `${good}server: { host: 0.0.0.0 }\n`);
    const [, , open] = await lines(3);
    expect(open?.problems).toEqual([expect.stringContaining("needs a token")]);
  } finally {
    stop();
  }
  expect(process.listenerCount("SIGHUP")).toBe(0);
});
