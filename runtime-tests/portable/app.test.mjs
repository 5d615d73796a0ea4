// The command as npm installs it: it finds its own files, serves, and ends when told to.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const flags = globalThis.Deno ? ["run", "-A"] : [];
const folder = new URL("./node_modules/@muster/app/", import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
const command = new URL(bin.muster, folder).pathname;

export default ({ it }) => {
  it("muster demo serves its page and the fleet, and ends at SIGTERM", async () => {
    const child = spawn(process.execPath, [...flags, command, "demo", "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [url] = await once(createInterface(child.stdout), "line");
      const page = await fetch(url);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<title>/);
      const { endpoints } = await (await fetch(`${url}/api/endpoints`)).json();
      assert.ok(Array.isArray(endpoints));
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await ended;
      // Deno tells which signal was sent, not how the child ended.
      if (!globalThis.Deno) assert.equal(code, 0);
    } finally {
      child.kill("SIGKILL");
    }
  });
};
