import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileStore } from "@muster/discovery-kv/file";
import { expect, it } from "vitest";
import { makeDirectory } from "../file-world.ts";
import { expectReads, registerAll } from "./plane.ts";
import { type GoldenRecord, golden, instanceId, legacy } from "./records.ts";

const pathOf = ({ bucket, file }: GoldenRecord): string => join(bucket, file);

it("a directory that was laid out by hand is read", async () => {
  const directory = makeDirectory();
  for (const record of [...golden, legacy]) {
    mkdirSync(join(directory.path, record.bucket), { recursive: true });
    writeFileSync(join(directory.path, pathOf(record)), record.wire);
    // a write that is under way, or was never finished
    writeFileSync(join(directory.path, record.bucket, ".tmp_0123456789abcdef"), "{");
  }
  await expectReads(createFileStore({ root: directory.path }));
  directory.remove();
});

it("the directory that we write is the same, to the byte", async () => {
  const directory = makeDirectory();
  const root = directory.path;
  const store = createFileStore({ root, connectionId: instanceId });
  const plane = await registerAll(store);
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.split("/").length > 2).sort();
  expect(files).toEqual(golden.map(pathOf).sort());
  for (const record of golden)
    expect(readFileSync(join(root, pathOf(record)), "utf8")).toBe(record.wire);
  await plane.close();
  directory.remove();
});
