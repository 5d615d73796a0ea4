import { Etcd3 } from "etcd3";

/** ms that etcd3 takes for what a first pass is: the range, each value parsed, and a watch behind it. */
export async function etcd3Sync(url: string): Promise<number> {
  const client = new Etcd3({ hosts: url });
  try {
    // its connection is open, as ours is
    await client.get("nothing");
    const start = performance.now();
    const range = await client.getAll().prefix("v1/instances/").exec();
    const records = new Map<string, unknown>();
    for (const { key, value } of range.kvs)
      records.set(key.toString(), JSON.parse(value.toString()));
    const from = String(BigInt(range.header.revision) + 1n);
    const watcher = await client.watch().prefix("v1/instances/").startRevision(from).create();
    const took = performance.now() - start;
    await watcher.cancel();
    if (records.size === 0) throw new Error("etcd3 found no records");
    return took;
  } finally {
    client.close();
  }
}
