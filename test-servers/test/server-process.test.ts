import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { ServerProcess } from "../src/server-process.ts";

describe.skipIf(!existsSync("/proc/self/task"))("a paused server", () => {
  it("has no thread that could answer", async () => {
    // as many threads that never rest as make it unlikely that all stop by chance
    const busy = `const { Worker } = require("node:worker_threads");
      for (let i = 0; i < 4; i++) new Worker("for (;;);", { eval: true });`;
    const server = new ServerProcess(process.execPath, ["-e", busy]);
    server.start();
    const tasks = `/proc/${server.pid}/task`;
    await expect.poll(() => readdirSync(tasks).length, { timeout: 10_000 }).toBeGreaterThan(8);
    server.pause();
    const states = readdirSync(tasks).map((task) =>
      readFileSync(`${tasks}/${task}/stat`, "utf8").replace(/.*\) /, "").charAt(0),
    );
    expect(new Set(states)).toEqual(new Set(["T"]));
    await server.kill();
  });
});
