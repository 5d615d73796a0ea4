import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type MusterError, systemClock } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../test/temp-dir.ts";
import { FileWatch, type FileWatchOptions, type WatchDirectory } from "./file-watch.ts";
import { signatureOf } from "./read-file.ts";

const prepare = (): string => {
  const path = join(tempDir(), "e.yaml");
  writeFileSync(path, "1");
  return path;
};

const make = (path: string, options: Partial<FileWatchOptions> = {}) => {
  const problems: MusterError[] = [];
  const onUnwatched = (error: MusterError): void => void problems.push(error);
  const clock = systemClock;
  const watch = new FileWatch({ path, clock, pollInterval: 60, onUnwatched, ...options });
  onTestFinished(() => watch.close());
  return { watch, problems };
};

const noSpace = Object.assign(new Error("ENOSPC: no space left on device, watch"), {
  code: "ENOSPC",
});
const failing: WatchDirectory = () => {
  throw noSpace;
};
/** A file system that never tells of anything, as networked ones do. */
const silent: WatchDirectory = () => ({ close: () => undefined });

const text = async (watch: FileWatch): Promise<string> => {
  const reading = await watch.read();
  return "content" in reading ? new TextDecoder().decode(reading.content) : reading.error.code;
};

/** Waits for changes until the file is read as `expected`. */
const until = async (watch: FileWatch, expected: string): Promise<void> => {
  while ((await text(watch)) !== expected) await watch.changed();
};

describe("FileWatch", () => {
  it.each([
    ["watching throws", failing, 1],
    ["no event ever comes", silent, 0],
  ])("follows by polling where %s", async (_, watchDirectory, reports) => {
    const path = prepare();
    const { watch, problems } = make(path, { watchDirectory });
    await until(watch, "1");
    for (const content of ["2", "22", "3"]) {
      writeFileSync(`${path}.new`, content);
      renameSync(`${path}.new`, path);
      await until(watch, content);
    }
    expect(problems).toHaveLength(reports);
  });

  it("says once that a directory cannot be watched, and what it does instead", async () => {
    const path = prepare();
    const { watch, problems } = make(path, { watchDirectory: failing });
    for (let turn = 0; turn < 3; turn++) await watch.read();
    expect(problems).toMatchObject([{ code: "DISCOVERY_WATCH", path, cause: noSpace }]);
    expect(problems[0]?.message).toMatch(/status is looked at every 60 ms instead: ENOSPC/);
  });

  it("polls on after a watcher fails later, and watches again at the next reading", async () => {
    const path = prepare();
    const errors: ((error: unknown) => void)[] = [];
    const closed: string[] = [];
    const watchDirectory: WatchDirectory = (directory, _onEvent, onError) => {
      errors.push(onError);
      return { close: () => void closed.push(directory) };
    };
    const { watch, problems } = make(path, { watchDirectory });
    await watch.read();
    errors[0]?.(noSpace);
    expect([problems.length, closed.length]).toEqual([1, 1]);
    writeFileSync(path, "22");
    await until(watch, "22");
    expect(errors).toHaveLength(2);
  });

  it("reads what changed once more at the next poll, since times are coarse", async () => {
    const clock = createFakeClock();
    const { watch } = make(prepare(), { watchDirectory: silent, clock });
    // by the poll's own end: it then waits for the next one, and for the burst if there is a change
    const polled = async (): Promise<number> => {
      await clock.advance(60);
      await expect.poll(() => clock.pending, { interval: 5 }).toBeGreaterThan(0);
      return clock.pending;
    };
    await watch.read();
    expect(await polled()).toBe(2);
    await clock.advance(50);
    await watch.changed();
    await watch.read();
    expect(await polled()).toBe(1);
  });

  it("reads after an event of another file only if the file's status changed", async () => {
    const path = prepare();
    const events: ((name: string | null) => void)[] = [];
    const watchDirectory: WatchDirectory = (_directory, onEvent) => {
      events.push(onEvent);
      return { close: () => undefined };
    };
    const clock = createFakeClock();
    const { watch } = make(path, { watchDirectory, clock, pollInterval: 1e6 });
    await watch.read();
    let changes = 0;
    const counting = watch.changed().then(() => changes++);
    events[0]?.("other");
    await clock.advance(50);
    // a look at the status that began later is over: the one before is, too
    await signatureOf(path);
    expect(changes).toBe(0);
    writeFileSync(`${path}.new`, "2");
    renameSync(`${path}.new`, path);
    events[0]?.("e.yaml.new");
    await clock.advance(50);
    await counting;
    for (const name of ["e.yaml", null]) {
      await watch.read();
      events[0]?.(name);
      await clock.advance(50);
      await watch.changed();
    }
  });

  it("renews the watch of a directory that told of itself, since that may be dead", async () => {
    const path = prepare();
    const events: ((name: string | null) => void)[] = [];
    let closed = 0;
    const watchDirectory: WatchDirectory = (_directory, onEvent) => {
      events.push(onEvent);
      return { close: () => void closed++ };
    };
    const { watch } = make(path, { watchDirectory });
    await watch.read();
    events[0]?.(basename(dirname(path)));
    await watch.changed();
    await watch.read();
    expect([events.length, closed]).toEqual([2, 1]);
  });

  it("watches the directory that takes the place of another while it attaches", async () => {
    const directory = join(tempDir(), "cfg");
    const path = join(directory, "e.yaml");
    const put = (content: string): void => {
      mkdirSync(directory);
      writeFileSync(path, content);
    };
    put("1");
    const watched: bigint[] = [];
    const watchDirectory: WatchDirectory = () => {
      const first = watched.push(statSync(directory, { bigint: true }).ino) === 1;
      if (first) {
        renameSync(directory, `${directory}.old`);
        put("2");
      }
      return { close: () => watched.shift() };
    };
    const { watch } = make(path, { watchDirectory });
    expect(await text(watch)).toBe("2");
    expect(watched).toEqual([statSync(directory, { bigint: true }).ino]);
  });

  it("lets go of everything when it is closed, in the middle of reading too", async () => {
    const path = prepare();
    let open = 0;
    const watchDirectory: WatchDirectory = () => {
      open++;
      return { close: () => void open-- };
    };
    const clock = createFakeClock();
    const { watch } = make(path, { watchDirectory, clock });
    await watch.read();
    const reading = watch.read();
    const changed = watch.changed();
    watch.close();
    watch.close();
    await Promise.all([reading, changed]);
    await watch.read();
    await clock.advance(1000);
    expect([open, clock.pending]).toEqual([0, 0]);
  });
});
