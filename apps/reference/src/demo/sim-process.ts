import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { MusterError } from "@muster/core";

/** ms that a child may take to end before it is killed; the demo itself has 4.8 s. */
const stopGrace = 3000;

/** A `muster sim` that runs as a process of its own. */
export interface SimProcess {
  readonly name: string;
  readonly pid: number;
  /** Base URL of the server. */
  readonly url: string;
  /** Resolves when the process has ended although nobody stopped it. */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts `muster sim` with the arguments, as this process was started. It ends when this process does,
 * however that ends: its input is a pipe that breaks then. `tell` gets what it has to say, each line
 * under its name.
 *
 * @throws MusterError START_FAILED when it ends before it serves.
 */
export async function startSimProcess(
  name: string,
  args: readonly string[],
  tell: (text: string) => void,
): Promise<SimProcess> {
  const script = process.argv[1] ?? "";
  const child = spawn(
    process.execPath,
    [...process.execArgv, script, "sim", "--end-with-input", ...args],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  createInterface(child.stderr).on("line", (line) => tell(`${name}: ${line}\n`));
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const url = await firstLine(child);
  if (url === undefined || child.pid === undefined)
    throw new MusterError("START_FAILED", `the simulated server ${name} ended before it served`);
  let stopping = false;
  return {
    ...{ name, url, pid: child.pid },
    lost: new Promise((resolve) => {
      ended.then(() => !stopping && resolve());
    }),
    async stop() {
      stopping = true;
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), stopGrace);
      await ended;
      clearTimeout(kill);
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  const lines = createInterface(stdout);
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  stdout.resume();
  return line as string | undefined;
}
