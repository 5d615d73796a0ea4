import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isMusterError } from "@muster/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPageFile } from "./page-file.ts";

describe("readPageFile", () => {
  let folder = "";
  const write = async (name: string, data: string | Uint8Array): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, data);
    return file;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-page-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const codeOf = (reading: Promise<unknown>): Promise<unknown> =>
    reading.then(
      () => "read",
      (error: unknown) => (isMusterError(error) ? error.code : error),
    );

  it("reads plain and gzipped pages alike", async () => {
    const text = "a 1\n";
    const plain = await readPageFile(await write("plain", text), 100);
    const zipped = await readPageFile(await write("zipped", gzipSync(text)), 100);
    expect(new TextDecoder().decode(plain)).toBe(text);
    expect(new TextDecoder().decode(zipped)).toBe(text);
  });

  it("stops at the cap, inflated or not", async () => {
    const large = "x".repeat(1000);
    expect(await codeOf(readPageFile(await write("large", large), 999))).toBe("SCRAPE_TOO_LARGE");
    const bomb = await write("bomb", gzipSync(large));
    expect(await codeOf(readPageFile(bomb, 999))).toBe("SCRAPE_TOO_LARGE");
  });

  it("does not wait for a pipe's writer", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
    expect(await codeOf(readPageFile(pipe, 10))).toBe("NOT_FOUND");
  });

  it("says what cannot be read", async () => {
    expect(await codeOf(readPageFile(join(folder, "none"), 10))).toBe("NOT_FOUND");
    expect(await codeOf(readPageFile(folder, 10))).toBe("NOT_FOUND");
    const cut = await write("cut", gzipSync("x".repeat(1000)).subarray(0, 20));
    expect(await codeOf(readPageFile(cut, 10_000))).toBe("SCRAPE_TRUNCATED");
  });
});
