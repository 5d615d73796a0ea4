import { spawn } from "node:child_process";

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null }} Ended */

/** A child process ended in another way than exit code 0. */
export class ChildFailed extends Error {
  /** @param {string} what @param {Ended} ended */
  constructor(what, ended) {
    super(
      `${what} ${ended.signal ? `was ended by ${ended.signal}` : `failed (exit ${ended.code})`}`,
    );
    this.ended = ended;
  }
}

/**
 * Runs a command in the foreground until it ends. Signals that reach this process go on to it.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Ended>}
 */
export function run(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  const release = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  }).finally(release);
}

/**
 * As {@link run}, for a step that has to succeed.
 *
 * @param {string} what the step's name in the error
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
export async function runStep(what, command, args, options) {
  const ended = await run(command, args, options);
  if (ended.code !== 0) throw new ChildFailed(what, ended);
}

/**
 * Ends this process as its child ended: with the same exit code, or by the same signal.
 *
 * @param {Ended} ended
 */
export function endLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
}

/** @param {import("node:child_process").ChildProcess} child */
function forwardSignals(child) {
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // A terminal's Ctrl-C reaches the whole group: the child has it already, and twice means "now".
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    if (child.pid !== undefined) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  const orphaned = whenOrphaned(() => child.kill("SIGTERM"));
  return () => {
    clearInterval(orphaned);
    for (const signal of signals) process.off(signal, forward);
  };
}

/**
 * npm gives a signal to the shell between us and it, which dies of it and tells nobody. So under npm,
 * losing the parent counts as being told to stop.
 *
 * @param {() => void} stop
 */
function whenOrphaned(stop) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 200);
  return timer;
}
