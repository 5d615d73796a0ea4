import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** Starts a module as a process of its own, so that nothing else's CPU or memory is counted. */
export function startChild(module: string, argument: unknown): ChildProcess {
  return fork(module, [JSON.stringify(argument)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** Asks it, and waits for the answer; one question at a time. */
export async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(child, "message", { signal }).then(([value]) => value as T);
  const exit = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code} when asked to ${question}`);
  });
  for (const promise of [answer, exit]) promise.catch(() => undefined);
  child.send(question);
  try {
    return await Promise.race([answer, exit]);
  } finally {
    settled.abort();
  }
}

/** Ends it. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** In such a process: answers questions until the process that asks them is gone. */
export function answerQuestions(answers: Readonly<Record<string, () => unknown>>): void {
  process.on("message", async (question: string) => {
    process.send?.((await answers[question]?.()) ?? null);
  });
  process.once("disconnect", () => process.exit(0));
}
