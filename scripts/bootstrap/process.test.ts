import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";

const module = JSON.stringify(new URL("./process.mjs", import.meta.url).href);

/** A process that runs `child` as the bootstrap does and ends like it. */
function wrapper(child: string): string {
  return `import { endLike, run } from ${module};
const options = { cwd: process.cwd(), env: process.env };
endLike(await run(process.execPath, ["-e", ${JSON.stringify(child)}], options));`;
}

function start(code: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const args = ["--input-type=module", "-e", code];
  const clean = { ...process.env, npm_lifecycle_event: undefined, ...env };
  const started = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: clean,
  });
  onTestFinished(() => void started.kill("SIGKILL"));
  return started;
}

async function firstLine(process: ChildProcess): Promise<string> {
  if (!process.stdout) throw new Error("no stdout");
  const [line] = await once(createInterface(process.stdout), "line");
  return String(line);
}

it("keeps the child's exit code", async () => {
  expect(await once(start(wrapper("process.exit(7)")), "exit")).toEqual([7, null]);
});

it("ends by the signal that ended the child", async () => {
  const child = start(wrapper("process.kill(process.pid, 'SIGKILL')"));
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("passes %s on and waits", async (signal) => {
  const waiting = `process.on("${signal}", () => process.exit(3)); setInterval(() => {}, 1000);
console.log("up");`;
  const parent = start(wrapper(waiting));
  expect(await firstLine(parent)).toBe("up");
  parent.kill(signal);
  expect(await once(parent, "exit")).toEqual([3, null]);
});

it("stops the child when npm's shell, which passes no signals on, is gone", async () => {
  const waiting = `process.on("SIGTERM", () => { console.log("stopped"); process.exit(); });
setInterval(() => {}, 1000); console.log("up");`;
  // Stands for that shell: starts the wrapper and dies of a signal without a word to it.
  const shell = `import { spawn } from "node:child_process";
spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(wrapper(waiting))}],
  { stdio: "inherit" });`;
  const parent = start(shell, { npm_lifecycle_event: "start" });
  if (!parent.stdout) throw new Error("no stdout");
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("up");
  parent.kill("SIGTERM");
  expect((await lines.next()).value).toBe("stopped");
});
