import { execFileSync } from "node:child_process";
import { mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { WatchedFile } from "./watched-file.ts";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "muster-secret-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

describe("a watched file", () => {
  it("is read once while it does not change, then at once", async () => {
    const path = join(await folder(), "token");
    const clock = createFakeClock();
    await writeFile(path, "one");
    const file = new WatchedFile(path, clock);
    expect(await Promise.all([file.read(), file.read()])).toEqual(["one", "one"]);
    await writeFile(path, "longer");
    expect(file.read()).toBe("one");
    await clock.advance(5000);
    expect(await file.read()).toBe("longer");
  });

  it("follows the symlink swap of a mounted secret", async () => {
    const root = await folder();
    const clock = createFakeClock();
    const file = new WatchedFile(join(root, "token"), clock);
    await writeFile(join(root, "1"), "old");
    await writeFile(join(root, "2"), "new");
    await symlink("1", join(root, "token"));
    expect(await file.read()).toBe("old");
    await symlink("2", join(root, "swap"));
    await rename(join(root, "swap"), join(root, "token"));
    await clock.advance(5000);
    expect(await file.read()).toBe("new");
  });

  it("is looked at again when what it said is in doubt", async () => {
    const path = join(await folder(), "token");
    const file = new WatchedFile(path, createFakeClock());
    await writeFile(path, "one");
    await file.read();
    await writeFile(path, "longer");
    file.doubt();
    expect(await file.read()).toBe("longer");
  });

  it("fails while it is missing, too large or a pipe, and works again afterwards", async () => {
    const path = join(await folder(), "token");
    const file = new WatchedFile(path, createFakeClock());
    const refused = (text: RegExp) =>
      expect(file.read()).rejects.toMatchObject({
        code: "SCRAPE_CREDENTIALS",
        message: expect.stringMatching(text),
        path,
      });
    await refused(/ENOENT/);
    await writeFile(path, "x".repeat(256 * 1024 + 1));
    await refused(/larger than 256 KiB/);
    await rm(path);
    execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
    await refused(/no regular file/);
    await rm(path);
    await writeFile(path, "fine");
    expect(await file.read()).toBe("fine");
  });
});
