import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../workspace.ts";

/** What {@link exec} may be told. */
export interface ExecOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Gives stdout back instead of printing it. */
  capture?: true;
  /** Kills the command when it has not ended by then. */
  timeoutMs?: number;
}

/**
 * Runs a command without stdin and resolves to its captured stdout.
 *
 * @throws Error when it does not exit 0
 */
export function exec(command: string, args: string[], options: ExecOptions = {}): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
    stdio: ["ignore", options.capture ? "pipe" : "inherit", "inherit"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${[command, ...args].join(" ")}: exit ${code ?? signal}`));
    });
  });
}

/** A program that the workspace installed. */
export function bin(name: string): string {
  return join(root, "node_modules", ".bin", name);
}
