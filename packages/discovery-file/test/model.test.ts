import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { content, type Following, follow } from "./following.ts";
import { tempDir } from "./temp-dir.ts";

type Endpoints = Record<string, string>;

const endpoints: fc.Arbitrary<Endpoints> = fc.dictionary(
  fc.constantFrom("a", "b", "c", "d", "e"),
  fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3"),
  { noNullPrototype: true },
);

/** The ways in which a file gets new content. */
const ways = {
  write: (path: string, text: string) => writeFileSync(path, text),
  rename(path: string, text: string) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  halves(path: string, text: string) {
    const file = openSync(path, "r+");
    ftruncateSync(file);
    writeSync(file, text.slice(0, text.length / 2));
    writeSync(file, text.slice(text.length / 2));
    closeSync(file);
  },
  recreate(path: string, text: string) {
    rmSync(path, { recursive: true });
    writeFileSync(path, text);
  },
  directory(path: string, text: string) {
    const directory = dirname(path);
    mkdirSync(`${directory}.new`);
    writeFileSync(join(`${directory}.new`, "endpoints.yaml"), text);
    renameSync(directory, `${directory}.old`);
    renameSync(`${directory}.new`, directory);
    rmSync(`${directory}.old`, { recursive: true });
  },
  link(path: string, text: string) {
    const target = join(tempDir(), "endpoints.yaml");
    writeFileSync(target, text);
    symlinkSync(target, `${path}.link`);
    renameSync(`${path}.link`, path);
  },
};

/** What makes a file useless, and what is then logged. */
const damages = {
  empty: (path: string) => writeFileSync(path, ""),
  garbage: (path: string) => writeFileSync(path, "endpoints: [{name: a\n"),
  binary: (path: string) => writeFileSync(path, Uint8Array.of(0, 255, 0, 255)),
  deleted: (path: string) => rmSync(path),
};

type Step =
  | { readonly way: keyof typeof ways; readonly endpoints: Endpoints; readonly wait: boolean }
  | { readonly damage: keyof typeof damages; readonly repaired: Endpoints }
  | { readonly spoil: Endpoints };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      way: fc.constantFrom(...(Object.keys(ways) as (keyof typeof ways)[])),
      endpoints,
      wait: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      damage: fc.constantFrom(...(Object.keys(damages) as (keyof typeof damages)[])),
      repaired: endpoints,
    }),
  },
  { weight: 1, arbitrary: fc.record({ spoil: endpoints }) },
);

/** Replays steps on a file, and keeps what the discovery must end with: what was good last. */
class World {
  truth: Endpoints = {};
  readonly path: string = join(tempDir(), "cfg", "endpoints.yaml");

  constructor() {
    mkdirSync(dirname(this.path));
    this.#put("write", {});
  }

  async replay(next: Step, { until, calls, meter }: Following): Promise<void> {
    if ("way" in next) {
      this.#put(next.way, next.endpoints);
      if (next.wait) await until(this.truth);
      return;
    }
    // what was good must have been seen before it is damaged, or nobody can know it
    await until(this.truth);
    if ("damage" in next) {
      const reads = (outcome: string) => (): number =>
        meter.value("muster_discovery_file_reads_total", { outcome }) ?? 0;
      const [failed, applied] = [reads("failed"), reads("applied")];
      const before = { calls: calls.length, failed: failed(), applied: applied() };
      damages[next.damage](this.path);
      await expect.poll(failed, { timeout: 10_000 }).toBeGreaterThan(before.failed);
      expect(calls.slice(before.calls)).toEqual([]);
      rmSync(this.path, { force: true });
      this.#put("write", next.repaired);
      // what is the same as before shows in nothing else, and the same damage again would be no news
      await expect.poll(applied, { timeout: 10_000 }).toBeGreaterThan(before.applied);
    } else {
      // entries of a bad address keep the address they had; those that never had one are skipped
      writeFileSync(this.path, content(mapValues(next.spoil, () => "10.0.0")));
      this.truth = Object.fromEntries(
        Object.entries(this.truth).filter(([name]) => name in next.spoil),
      );
    }
  }

  #put(way: keyof typeof ways, now: Endpoints): void {
    ways[way](this.path, content(now));
    this.truth = { ...now };
  }
}

function mapValues(record: Endpoints, map: (value: string) => string): Endpoints {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

it("after any history of edits, what was reported equals the last good content", async () => {
  const history = fc.array(step, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom("1h", "100ms"), async (steps, pollInterval) => {
      const world = new World();
      const following = await follow(world.path, { pollInterval });
      for (const next of steps) await world.replay(next, following);
      await following.until(world.truth);
      await following.stop();
    }),
    { numRuns: 30 },
  );
}, 120_000);
