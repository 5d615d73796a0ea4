import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

const children: ChildProcess[] = [];
// a test that fails must not leave its process behind
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** `muster` as a process of its own, from its sources. */
export function muster(...args: string[]): ChildProcess {
  const node = ["--import", "tsx", "--conditions=@muster/source"];
  const child = spawn(process.execPath, [...node, cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return child;
}

/** Collects a stream and waits until it matches. */
export function reader(
  child: ChildProcess,
  stream: "stdout" | "stderr",
): (wanted: RegExp) => Promise<string> {
  let text = "";
  child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return async (wanted) => {
    while (!wanted.test(text)) {
      const ended = once(child, "exit").then(() => "ended");
      const more = once(child[stream] ?? child, "data").then(() => "more");
      if ((await Promise.race([more, ended])) === "ended" && !wanted.test(text))
        throw new Error(`ended without ${wanted}: ${text}`);
    }
    return text;
  };
}

/** Runs `muster` as a process of its own to its end. */
export async function musterEnds(
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = muster(...args);
  const [out, err] = [textOf(child, "stdout"), textOf(child, "stderr")];
  const [code] = await once(child, "close");
  return { code, out: out(), err: err() };
}

function textOf(child: ChildProcess, stream: "stdout" | "stderr"): () => string {
  let text = "";
  child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
