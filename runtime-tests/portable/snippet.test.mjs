// The first program a user writes, as the README has it: it ends by itself, so nothing is left open.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { createModelServer } from "@muster/sim";

const run = promisify(execFile);
const flags = globalThis.Deno ? ["run", "-A"] : [];
const isNode20 = !globalThis.Deno && !globalThis.Bun && process.versions.node.startsWith("20.");

/** The snippet for this runtime: Node 20 cannot parse `await using`. */
function snippet() {
  const text = readFileSync(new URL("./snippet.mjs", import.meta.url), "utf8");
  return isNode20
    ? `${text.replace("await using fleet", "const fleet")}await fleet.stop();\n`
    : text;
}

export default ({ it }) => {
  it("prints the fleet and ends", async () => {
    const servers = ["vllm", "sglang"].map((engine) =>
      createModelServer({ engine, host: "127.0.0.1", port: 0, seed: 1 }),
    );
    // Inside this folder, where the packages are installed.
    const folder = mkdtempSync(new URL("./snippet-", import.meta.url).pathname);
    try {
      await Promise.all(servers.map((server) => server.start()));
      const entries = servers.map(
        ({ port }, index) => `  - { name: s${index}, address: 127.0.0.1, port: ${port} }\n`,
      );
      writeFileSync(`${folder}/endpoints.yaml`, `endpoints:\n${entries.join("")}`);
      writeFileSync(`${folder}/main.mjs`, snippet());
      const { stdout } = await run(process.execPath, [...flags, "main.mjs"], {
        cwd: folder,
        timeout: 20_000,
      });
      const lines = stdout.trim().split("\n").sort();
      assert.equal(lines.length, 2, stdout);
      assert.match(lines[0], /^default\/s0 0 /);
      assert.match(lines[1], /^default\/s1 0 /);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true });
    }
  });
};
