import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentStamp, filesUnder, isStamped, unlessStamped, workspaceFolders } from "./stamp.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "muster-stamp-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

describe("contentStamp", () => {
  it("depends on contents and names, not on order", () => {
    const a = write("a.ts", "1");
    const b = write("b.ts", "2");
    const stamp = contentStamp(root, [a, b]);
    expect(contentStamp(root, [b, a])).toBe(stamp);
    write("a.ts", "2");
    expect(contentStamp(root, [a, b])).not.toBe(stamp);
    write("a.ts", "1");
    expect(contentStamp(root, [a, b])).toBe(stamp);
    expect(contentStamp(root, [a])).not.toBe(stamp);
  });
});

describe("filesUnder and workspaceFolders", () => {
  it("find files in any depth, and only folders with a manifest", () => {
    const manifest = write("packages/one/package.json", "{}");
    const source = write("packages/one/src/deep/x.ts", "");
    write("packages/stray/notes.md", "");
    const bench = write("benchmarks/package.json", "{}");
    expect(filesUnder(join(root, "packages/one")).sort()).toEqual([manifest, source]);
    expect(workspaceFolders(root)).toEqual([dirname(manifest), dirname(bench)]);
    expect(filesUnder(join(root, "nowhere"))).toEqual([]);
  });
});

describe("unlessStamped", () => {
  it("works once per stamp, and again after a failure", async () => {
    const mark = join(root, "deep/mark");
    let runs = 0;
    const work = async () => {
      runs += 1;
    };
    expect(await unlessStamped(mark, "1", work)).toBe(true);
    expect(await unlessStamped(mark, "1", work)).toBe(false);
    expect([isStamped(mark, "1"), isStamped(mark, "2")]).toEqual([true, false]);
    const failing = unlessStamped(mark, "2", () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(existsSync(mark)).toBe(false);
    expect(await unlessStamped(mark, "1", work)).toBe(true);
    expect(runs).toBe(2);
  });
});
