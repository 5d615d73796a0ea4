import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { createDiscoveryNotifier } from "@muster/core";
import { describe, expect, it } from "vitest";
import fileDiscovery from "../src/index.ts";
import { content, follow } from "./following.ts";
import { tempDir } from "./temp-dir.ts";

const nowhere = createDiscoveryNotifier({
  endpointUpsert: () => undefined,
  endpointDelete: () => undefined,
});
const start = (path: string): Promise<void> =>
  fileDiscovery
    .create({ path, watchFile: true }, { name: "mine" })
    .start(nowhere, { signal: AbortSignal.timeout(10_000) });

describe("start (section 6)", () => {
  it("reports every endpoint of the file before it is ready", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({ a: "10.0.0.1", b: "10.0.0.2" }));
    const { found, calls } = await follow(path);
    expect(found).toEqual({ a: "10.0.0.1", b: "10.0.0.2" });
    expect(calls).toEqual(["+a", "+b"]);
  });

  it("takes a relative path from the working directory", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({ a: "10.0.0.1" }));
    const { found } = await follow(relative(process.cwd(), path));
    expect(found).toEqual({ a: "10.0.0.1" });
  });

  it("reports a bad entry with its place and skips it, at start too", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({ a: "10.0.0.1", b: "10.0.0" }));
    const { found, complaints, logger, meter } = await follow(path);
    expect(found).toEqual({ a: "10.0.0.1" });
    expect(complaints()).toEqual([
      expect.stringContaining(`${path}:10:15: endpoints[1].address: address "10.0.0" must be`),
    ]);
    expect(logger.lines[0]?.fields).toMatchObject({
      plugin: "file-discovery/file-discovery",
      code: "DISCOVERY_ENTRY",
    });
    expect(meter.value("muster_discovery_file_invalid_entries")).toBe(1);
  });

  it("reads once without watchFile, and runs until the abort", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({ a: "10.0.0.1" }));
    const { found, stop } = await follow(path, { watchFile: false });
    writeFileSync(path, content({ b: "10.0.0.1" }));
    const watching = await follow(path);
    expect([found, watching.found]).toEqual([{ a: "10.0.0.1" }, { b: "10.0.0.1" }]);
    await stop();
  });

  it.each([
    ["missing", () => undefined, "DISCOVERY_READ", "ENOENT"],
    ["a directory", mkdirSync, "DISCOVERY_READ", "a directory, not a file"],
    [
      "a named pipe nobody writes to",
      (path: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]),
      "DISCOVERY_READ",
      "a named pipe, not a file",
    ],
    [
      "a device",
      (path: string) => symlinkSync("/dev/zero", path),
      "DISCOVERY_READ",
      "a device, not a file",
    ],
    ["a loop of links", (path: string) => symlinkSync(path, path), "DISCOVERY_READ", "ELOOP"],
    ["empty", (path: string) => writeFileSync(path, ""), "DISCOVERY_PARSE", "the file is empty"],
    ["unparsable", (path: string) => writeFileSync(path, "a: ["), "DISCOVERY_PARSE", "sequence"],
    ["no map", (path: string) => writeFileSync(path, "[]"), "DISCOVERY_PARSE", "must be a map"],
    [
      "too large",
      (path: string) => writeFileSync(path, Buffer.alloc(4 * 1024 * 1024 + 1, " ")),
      "DISCOVERY_TOO_LARGE",
      "4 MiB",
    ],
  ])("fails when the file is %s", async (_, prepare, code, message) => {
    const path = join(tempDir(), "endpoints.yaml");
    prepare(path);
    await expect(start(path)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      path: expect.stringContaining(path),
      plugin: { type: "file-discovery", name: "mine" },
    });
  });

  it("fails when the file is a socket", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(start(path)).rejects.toMatchObject({ code: "DISCOVERY_READ" });
    server.close();
  });

  it("takes a file of exactly 4 MiB", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({ a: "10.0.0.1" }).padEnd(4 * 1024 * 1024, " "));
    expect((await follow(path)).found).toEqual({ a: "10.0.0.1" });
  });

  it("refuses a second start while it runs", async () => {
    const path = join(tempDir(), "endpoints.yaml");
    writeFileSync(path, content({}));
    const discovery = fileDiscovery.create({ path });
    const controller = new AbortController();
    const done = discovery.start(nowhere, { signal: controller.signal });
    await expect(discovery.start(nowhere, { signal: controller.signal })).rejects.toMatchObject({
      code: "DISCOVERY_FAILED",
    });
    controller.abort();
    await done;
  });
});
