import { jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";

/** A bucket as any other client of NATS KV has it. */
export interface RawBucket extends AsyncDisposable {
  readonly kv: KV;
  /** Keys that are there, leases too, with their values. */
  contents(): Promise<Map<string, string>>;
}

/** Opens the bucket of a namespace with the client that NATS has for it. */
export async function openRawBucket(servers: string, namespace: string): Promise<RawBucket> {
  const connection = await connect({ servers });
  const kv = await new Kvm(connection).open(namespace);
  const { streams } = await jetstreamManager(connection);
  const prefix = `$KV.${namespace}.`;
  return {
    kv,
    async contents() {
      const entries = new Map<string, string>();
      // `keys()` of the client would wait for ever should the bucket be lost meanwhile
      const info = await streams
        .info(`KV_${namespace}`, { subjects_filter: ">" })
        .catch(() => undefined);
      for (const subject of Object.keys(info?.state.subjects ?? {})) {
        const key = subject.slice(prefix.length);
        const entry = await kv.get(key).catch(() => null);
        if (entry?.operation === "PUT") entries.set(key, entry.string());
      }
      return entries;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
