import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { content, follow } from "./following.ts";
import { tempDir } from "./temp-dir.ts";

const watchers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "FSEventWrap").length;

/** A closed watcher leaves with the next turn of the event loop. */
const untilWatchers = (count: number): Promise<void> =>
  expect.poll(watchers, { interval: 5, timeout: 10_000 }).toBe(count);

it("a stopped discovery leaves no watcher, a running one has one for each directory", async () => {
  const root = tempDir();
  mkdirSync(join(root, "real"));
  writeFileSync(join(root, "real", "endpoints.yaml"), content({ a: "10.0.0.1" }));
  symlinkSync("real", join(root, "link"));
  await untilWatchers(0);
  for (let turn = 0; turn < 3; turn++) {
    const { stop, calls } = await follow(join(root, "link", "endpoints.yaml"));
    expect(watchers()).toBe(2);
    writeFileSync(join(root, "real", "endpoints.yaml"), content({}));
    await stop();
    await untilWatchers(0);
    const reported = calls.length;
    writeFileSync(join(root, "real", "endpoints.yaml"), content({ a: "10.0.0.1" }));
    const next = await follow(join(root, "link", "endpoints.yaml"));
    await next.until({ a: "10.0.0.1" });
    await next.stop();
    expect(calls).toHaveLength(reported);
  }
});

it("without watchFile there is no watcher at all", async () => {
  const path = join(tempDir(), "endpoints.yaml");
  writeFileSync(path, content({}));
  await untilWatchers(0);
  await follow(path, { watchFile: false });
  expect(watchers()).toBe(0);
});
