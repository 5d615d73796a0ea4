import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
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

it("checks again when the file changes and on SIGHUP, all that muster check checks", {
  timeout: 30_000,
}, async () => {
  const logged: { level: number; why: string; warnings?: string[]; problems?: string[] }[] = [];
  const logger = createLogger("info", { write: (line) => void logged.push(JSON.parse(line)) });
  const stop = recheckConfig({ file, flags: {}, env: {}, logger, interval: 20 });
  const untilLogged = async (text: string): Promise<(typeof logged)[number] | undefined> => {
    const wanted = (line: object): boolean => JSON.stringify(line).includes(text);
    await vi.waitUntil(() => logged.some(wanted), 10_000);
    return logged.find(wanted);
  };
  // by renaming: a file rewritten in place is seen empty for a moment
  const replace = async (content: string): Promise<void> => {
    await writeFile(`${file}.new`, content);
    await rename(`${file}.new`, file);
  };
  try {
    process.emit("SIGHUP");
    const valid = await untilLogged("is valid");
    expect(valid).toMatchObject({ level: 30, why: "SIGHUP", warnings: [] });
    await replace(`${good}dataLayer: { injectDefaults: false }\n`);
    const unwired = await untilLogged("[RUNTIME_EMPTY]");
    expect(unwired).toMatchObject({ level: 50, why: "file changed" });
    await replace(`${good}server: { host: 0.0.0.0 }\n`);
    const open = await untilLogged("needs a token");
    expect(open?.problems).toHaveLength(1);
  } finally {
    stop();
  }
  expect(process.listenerCount("SIGHUP")).toBe(0);
});
