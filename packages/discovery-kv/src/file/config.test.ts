import { expect, it } from "vitest";
import { readFileStoreConfig } from "./config.ts";

it("fills in defaults and reads durations", () => {
  expect(readFileStoreConfig({ root: "a" })).toEqual({
    root: "a",
    ttl: 10_000,
    pollInterval: 1000,
  });
  expect(readFileStoreConfig({ root: "a", ttl: "1m", pollInterval: 50 })).toEqual({
    root: "a",
    ttl: 60_000,
    pollInterval: 50,
  });
});

it.each([
  [{ root: "" }, "root"],
  [{ root: "a\0b" }, "NUL"],
  [{ root: "a", ttl: "999ms" }, 'ttl: must be a duration from 1s to 24h, not "999ms"'],
  [{ root: "a", ttl: "25h" }, "1s to 24h"],
  [{ root: "a", pollInterval: 49 }, "pollInterval: must be a duration from 50ms to 1h, not 49"],
  [{ root: "a", path: "b" }, "path"],
])("refuses %j", (config, message) => {
  const read = (): unknown => readFileStoreConfig(config);
  expect(read).toThrow(expect.objectContaining({ code: "STORE_CONFIG" }));
  expect(read).toThrow(message);
});

it("names every problem at once", () => {
  const read = (): unknown => readFileStoreConfig({ root: "", ttl: 1 });
  expect(read).toThrow(/root.*; .*ttl/);
});
