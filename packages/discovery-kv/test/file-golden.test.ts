import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { client, follow, freshRoot } from "./file-fixture.ts";

/** A directory as the original lays it out: bucket, key, file name, content. */
const golden = [
  [
    "v1/instances",
    "dynamo/backend/generate/694d8a1b2c3d4e5f",
    "dynamo%2Fbackend%2Fgenerate%2F694d8a1b2c3d4e5f",
    '{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":7587872796500119135,"transport":{"tcp":"10.0.0.5:41234/694d8a1b2c3d4e5f/generate"}}',
  ],
  [
    "v1/mdc",
    "dynamo/backend/generate/43710f49c0cff/my_adapter",
    "dynamo%2Fbackend%2Fgenerate%2F43710f49c0cff%2Fmy%5Fadapter",
    '{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":1186445869714687,"card_json":{"display_name":"a"},"model_suffix":"my_adapter"}',
  ],
  [
    "v1/event_channels",
    "namespace/dynamo/component/back%2Eend/topic/kv-events/2a",
    "namespace%2Fdynamo%2Fcomponent%2Fback%252Eend%2Ftopic%2Fkv%2Devents%2F2a",
    '{"type":"EventChannel","scope":{"kind":"component","namespace":"dynamo","component":"back.end"},"topic":"kv-events","instance_id":42,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.5:5557"}}}',
  ],
] as const;

it("reads a directory that was laid out by hand", async () => {
  const { root } = freshRoot();
  for (const [bucket, , name, content] of golden) {
    mkdirSync(join(root, bucket), { recursive: true });
    writeFileSync(join(root, bucket, name), content);
  }
  const { store } = client(root);
  for (const [name, key, , content] of golden) {
    const bucket = store.bucket(name);
    expect(await bucket.get(key)).toBe(content);
    expect([...(await bucket.entries())]).toEqual([[key, content]]);
    await (await follow(bucket)).until({ [key]: content });
  }
});

it("writes the same directory, to the byte, with the rights that the umask leaves", async () => {
  const { root } = freshRoot();
  const { store } = client(root);
  for (const [bucket, key, , content] of golden)
    expect(await store.bucket(bucket).create(key, content)).toBe(true);
  expect(readdirSync(root)).toEqual(["v1"]);
  const umask = process.umask();
  for (const [bucket, , name, content] of golden) {
    const directory = join(root, bucket);
    expect(readdirSync(directory)).toEqual([name]);
    expect(readFileSync(join(directory, name), "utf8")).toBe(content);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o666 & ~umask);
    expect(statSync(directory).mode & 0o777).toBe(0o777 & ~umask);
  }
  await store.close();
  for (const [bucket] of golden) expect(readdirSync(join(root, bucket))).toEqual([]);
});

it("makes nothing until it is written to or watched", async () => {
  const { root, bucket: directory } = freshRoot();
  const { store, bucket } = client(root);
  expect(await bucket.get("a")).toBeUndefined();
  expect([...(await bucket.entries())]).toEqual([]);
  expect(await bucket.delete("a")).toBe(false);
  expect(() => readdirSync(root)).toThrow("ENOENT");
  await follow(bucket);
  expect(readdirSync(directory)).toEqual([]);
  await store.check();
});
