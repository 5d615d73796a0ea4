import { type KV, Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";

/** A bucket as any other client of NATS KV has it. */
export interface RawBucket extends AsyncDisposable {
  readonly kv: KV;
  /** Keys that are there, leases too, with their values. */
  contents(): Promise<Map<string, string>>;
}

/** Opens, or makes, the bucket of a namespace with the client that NATS has for it. */
export async function openRawBucket(servers: string, namespace: string): Promise<RawBucket> {
  const connection = await connect({ servers });
  const kv = await new Kvm(connection).open(namespace);
  return {
    kv,
    async contents() {
      const entries = new Map<string, string>();
      // a bucket that was lost, and not made again yet, holds nothing
      const there = await kv.status().catch(() => undefined);
      if (there === undefined) return entries;
      for await (const key of await kv.keys()) {
        const entry = await kv.get(key);
        if (entry?.operation === "PUT") entries.set(key, entry.string());
      }
      return entries;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
