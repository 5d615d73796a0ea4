import { expect, it } from "vitest";
import { readConfig } from "../read-config.ts";
import { type FileStoreConfig, fileStoreSchema } from "./config.ts";

const read = (config: FileStoreConfig) => readConfig("file store", fileStoreSchema, config);

it("fills in defaults and reads durations", () => {
  expect(read({ root: "a" })).toEqual({
    root: "a",
    ttl: 10_000,
    pollInterval: 1000,
  });
  expect(read({ root: "a", ttl: "1m", pollInterval: 50 })).toEqual({
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
  const failing = (): unknown => read(config);
  expect(failing).toThrow(expect.objectContaining({ code: "STORE_CONFIG" }));
  expect(failing).toThrow(message);
});

it("names every problem at once", () => {
  const failing = (): unknown => read({ root: "", ttl: 1 });
  expect(failing).toThrow(/root.*; .*ttl/);
});
