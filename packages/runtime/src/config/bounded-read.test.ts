import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readBounded } from "./bounded-read.ts";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "muster-read-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function pipe(): Promise<string> {
  const path = join(await folder(), "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  return path;
}

describe("readBounded", () => {
  it("reads to the limit", async () => {
    const file = join(await folder(), "file");
    await writeFile(file, "12345");
    expect(await readBounded(file, { limit: 5 })).toHaveLength(5);
    expect(await readBounded(file, { limit: 4 })).toBeUndefined();
  });

  it("reads what a pipe's writer takes its time for", async () => {
    const path = await pipe();
    const writer = await open(path, "r+");
    const reading = readBounded(path, { limit: 10 });
    await writer.write("late");
    const reader = await open(path, "r");
    await writer.close();
    await reader.close();
    expect(new TextDecoder().decode(await reading)).toBe("late");
  });

  it("finds nothing in a pipe without writer, and gives up on one that is silent", async () => {
    const path = await pipe();
    expect(await readBounded(path, { limit: 10 })).toHaveLength(0);
    const writer = await open(path, "r+");
    await expect(readBounded(path, { limit: 10, patience: 20 })).rejects.toThrow(/EAGAIN/);
    await writer.close();
  });
});
