import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A process that works with a file store. */
export interface Peer {
  /** Sends a command of file-peer.ts, and gives the answer. */
  ask(command: string): Promise<unknown>;
  /** Sends a signal; after SIGKILL, waits for the end. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
}

/** Starts a process; it is killed at the end of the test. */
export function startPeer(root: string, ttl = "1s"): Peer {
  const script = fileURLToPath(new URL("file-peer.ts", import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@muster/source", script, root, ttl],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("a peer has no pipes");
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async ask(command) {
      stdin.write(`${command}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`the peer ended before it answered ${command}`);
      return JSON.parse(value);
    },
    async signal(name) {
      child.kill(name);
      if (name === "SIGKILL") await ended;
    },
  };
}
