import { mkdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { content, type Following, follow } from "./following.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { tempDir } from "./temp-dir.ts";

const two = { a: "10.0.0.1", b: "10.0.0.2" };
const three = { ...two, c: "10.0.0.3" };

/** A burst of events is waited out for this long, and a loss is looked at again after this. */
const burst = 50;
const settle = 200;

const prepare = (): string => {
  const path = join(tempDir(), "endpoints.yaml");
  writeFileSync(path, content(two));
  return path;
};

describe("a file that shrank is read again once it is stable", () => {
  const begin = async (): Promise<{ path: string; clock: ManualClock; following: Following }> => {
    const path = prepare();
    const clock = createManualClock();
    return { path, clock, following: await follow(path, { pollInterval: "1h" }, { clock }) };
  };

  it("and deletes what is still gone then", async () => {
    const { path, clock, following } = await begin();
    writeFileSync(path, content({ a: "10.0.0.1" }));
    await clock.fire(burst);
    await clock.until(settle);
    expect(following.calls).toEqual(["+a", "+b"]);
    await clock.fire(settle);
    await following.until({ a: "10.0.0.1" });
  });

  it("also when it holds more, but an endpoint is gone", async () => {
    const { path, clock, following } = await begin();
    const renamed = { a: "10.0.0.1", "a-longer-name": "10.0.0.2" };
    writeFileSync(path, content(renamed));
    await clock.fire(burst);
    await clock.until(settle);
    expect(following.calls).toEqual(["+a", "+b"]);
    await clock.fire(settle);
    await following.until(renamed);
  });

  it("and deletes nothing when it is whole again", async () => {
    const { path, clock, following } = await begin();
    writeFileSync(path, content({ a: "10.0.0.1" }));
    await clock.fire(burst);
    await clock.until(settle);
    writeFileSync(path, content(three));
    await clock.fire(settle);
    await following.until(three);
    expect(following.calls).toEqual(["+a", "+b", "+c"]);
  });

  it("and waits anew while it keeps changing", async () => {
    const { path, clock, following } = await begin();
    writeFileSync(path, content({ a: "10.0.0.1" }));
    await clock.fire(burst);
    await clock.until(settle);
    writeFileSync(path, content({}));
    await clock.fire(settle);
    await clock.until(settle);
    expect(following.calls).toEqual(["+a", "+b"]);
    await clock.fire(settle);
    await following.until({});
  });

  it("so that the end of a half-written value is waited for", async () => {
    const { path, clock, following } = await begin();
    const whole = "endpoints:\n- {name: a, port: 80, address: 10.0.0.1}\n- name: b\n  port: 80\n";
    writeFileSync(path, `${whole}  address: 10.0.0.2`);
    await clock.fire(burst);
    await clock.until(settle);
    writeFileSync(path, `${whole}  address: 10.0.0.25\n`);
    await clock.fire(settle);
    await clock.fire(settle);
    await following.until({ a: "10.0.0.1", b: "10.0.0.25" });
    expect(following.calls).toEqual(["+a", "+b", "+b"]);
  });

  it("so that truncate-then-write is no event at all", async () => {
    const { path, clock, following } = await begin();
    writeFileSync(path, "");
    await clock.fire(burst);
    await clock.until(settle);
    writeFileSync(path, content(three));
    await clock.fire(settle);
    await following.until(three);
    expect(following.complaints()).toEqual([]);
  });
});

describe("a file that can no longer be used", () => {
  it.each([
    ["empty", "", "DISCOVERY_TRUNCATED", "turned empty"],
    ["nothing but a comment", "# soon\n", "DISCOVERY_TRUNCATED", "turned empty"],
    ["cut after the key", "endpoints:\n", "DISCOVERY_PARSE", "must be a list"],
    ["unparsable", "endpoints: [{name: a,\n", "DISCOVERY_PARSE", ":2:1: "],
    ["NUL characters", "\0\0\0\0", "DISCOVERY_PARSE", "control character"],
    ["too large", " ".repeat(4 * 1024 * 1024 + 1), "DISCOVERY_TOO_LARGE", "4 MiB"],
  ])("keeps the last good endpoints and says so once: %s", async (_, text, code, message) => {
    const path = prepare();
    const { found, calls, until, untilLogged, logger, meter } = await follow(path);
    writeFileSync(path, text);
    await untilLogged(message);
    expect(found).toEqual(two);
    writeFileSync(path, content(three));
    await until(three);
    await untilLogged("can be used again");
    const errors = logger.lines.filter(({ level }) => level === "error");
    expect(errors).toEqual([
      expect.objectContaining({ fields: expect.objectContaining({ code }) }),
    ]);
    expect(errors[0]?.message).toContain("the last good endpoints are kept");
    expect(calls).toEqual(["+a", "+b", "+c"]);
    expect(meter.value("muster_discovery_file_reads_total", { outcome: "failed" })).toBe(1);
  });

  it("keeps them when it is deleted, and when something else takes its place", async () => {
    const path = prepare();
    const { found, until, untilLogged } = await follow(path);
    unlinkSync(path);
    await untilLogged("ENOENT");
    mkdirSync(path);
    await untilLogged("a directory, not a file");
    expect(found).toEqual(two);
    rmSync(path, { recursive: true });
    writeFileSync(path, content({ c: "10.0.0.3" }));
    await until({ c: "10.0.0.3" });
  });

  it("takes `endpoints: []` for none", async () => {
    const path = prepare();
    const { until } = await follow(path);
    writeFileSync(path, "endpoints: []\n");
    await until({});
  });
});

describe("an entry that turned bad", () => {
  it("keeps its last good form, while the others are followed", async () => {
    const path = prepare();
    const { until, calls, untilLogged, meter } = await follow(path);
    writeFileSync(path, content({ a: "10.0.0", b: "10.0.0.3" }));
    await until({ a: "10.0.0.1", b: "10.0.0.3" });
    await untilLogged('endpoints[0].address: address "10.0.0" must be');
    expect(meter.value("muster_discovery_file_invalid_entries")).toBe(1);
    writeFileSync(path, content({ a: "10.0.0.4", b: "10.0.0.3" }));
    await until({ a: "10.0.0.4", b: "10.0.0.3" });
    expect(calls).toEqual(["+a", "+b", "+b", "+a"]);
  });

  it("is deleted once it is gone", async () => {
    const path = prepare();
    const { until } = await follow(path);
    writeFileSync(path, content({ a: "10.0.0", b: "10.0.0.3" }));
    await until({ a: "10.0.0.1", b: "10.0.0.3" });
    writeFileSync(path, content({ b: "10.0.0.3" }));
    await until({ b: "10.0.0.3" });
  });

  it("holds back deletes while its name cannot be read", async () => {
    const path = prepare();
    const { until } = await follow(path);
    writeFileSync(path, content({ "": "10.0.0.1", c: "10.0.0.3" }));
    await until(three);
    writeFileSync(path, content({ c: "10.0.0.3" }));
    await until({ c: "10.0.0.3" });
  });
});
