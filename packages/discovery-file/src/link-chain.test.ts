import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../test/temp-dir.ts";
import { resolveChain } from "./link-chain.ts";

const root = (): string => realpathSync(tempDir());

const chain = async (path: string): Promise<Record<string, string[]>> => {
  const found = await resolveChain(path);
  return Object.fromEntries(found.map((directory) => [directory.path, [...directory.names]]));
};

describe("resolveChain", () => {
  it("is the file's directory where there is no link", async () => {
    const dir = root();
    writeFileSync(join(dir, "e.yaml"), "");
    expect(await chain(join(dir, "e.yaml"))).toEqual({ [dir]: ["e.yaml"] });
    const [found] = await resolveChain(join(dir, "e.yaml"));
    expect(found?.identity).toBe(`${statSync(dir).dev}:${statSync(dir).ino}`);
  });

  it("holds each directory in which a link of a ConfigMap's mount may be swapped", async () => {
    const dir = root();
    mkdirSync(join(dir, "..2024"));
    writeFileSync(join(dir, "..2024", "e.yaml"), "");
    symlinkSync("..2024", join(dir, "..data"));
    symlinkSync("..data/e.yaml", join(dir, "e.yaml"));
    expect(await chain(join(dir, "e.yaml"))).toEqual({
      [dir]: ["e.yaml", "..data"],
      [join(dir, "..2024")]: ["e.yaml"],
    });
  });

  it("follows absolute links, links to links, and `..` after a link", async () => {
    const dir = root();
    mkdirSync(join(dir, "real", "sub"), { recursive: true });
    writeFileSync(join(dir, "real", "e.yaml"), "");
    symlinkSync(join(dir, "real", "sub"), join(dir, "link"));
    symlinkSync(join(dir, "link"), join(dir, "again"));
    expect(await chain(`${dir}/again/../e.yaml`)).toEqual({
      [dir]: ["again", "link"],
      [join(dir, "real")]: ["e.yaml"],
    });
  });

  it("ends where something is missing, so that its coming is seen", async () => {
    const dir = root();
    expect(await chain(join(dir, "cfg", "deep", "e.yaml"))).toEqual({ [dir]: ["cfg"] });
    symlinkSync("nowhere", join(dir, "cfg"));
    expect(await chain(join(dir, "cfg", "e.yaml"))).toEqual({ [dir]: ["cfg", "nowhere"] });
    writeFileSync(join(dir, "nowhere"), "");
    expect(await chain(join(dir, "cfg", "e.yaml"))).toEqual({ [dir]: ["cfg", "nowhere"] });
  });

  it("ends in a loop of links", async () => {
    const dir = root();
    symlinkSync("b", join(dir, "a"));
    symlinkSync("a", join(dir, "b"));
    expect(await chain(join(dir, "a"))).toEqual({ [dir]: ["a", "b"] });
  });
});
