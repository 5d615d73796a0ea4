import {
  type EtcdServer,
  findService,
  type NatsServer,
  type Service,
  startEtcd,
  startNats,
  testTls,
} from "@muster/test-servers";

/** Real stores for programs that are not of this workspace. */
export interface Stores extends AsyncDisposable {
  /** Where they are, as environment variables: what is not installed has none. */
  readonly env: Readonly<Record<string, string>>;
  /** What is not there, and how to get it. */
  readonly missing: readonly string[];
}

/**
 * Starts etcd, etcd with TLS that demands a client certificate, and NATS.
 *
 * @throws Error in CI when one of them is not installed
 */
export async function startStores(
  find: (service: Service) => string | undefined = findService,
): Promise<Stores> {
  const started: (EtcdServer | NatsServer)[] = [];
  const env: Record<string, string> = {};
  const missing: string[] = [];
  const stores = {
    env,
    missing,
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((server) => server[Symbol.asyncDispose]()));
    },
  };
  const has = (service: Service): boolean => {
    if (find(service) !== undefined) return true;
    const what = `${service} is not installed (apt-get install ${service}-server)`;
    if (process.env.CI) throw new Error(what);
    missing.push(what);
    return false;
  };
  try {
    if (has("etcd")) {
      const plain = await startEtcd();
      started.push(plain);
      const secure = await startEtcd({ tls: "server" });
      started.push(secure);
      env.MUSTER_ETCD = plain.endpoint;
      env.MUSTER_ETCD_TLS = secure.endpoint;
      env.MUSTER_TLS_CA = testTls.ca;
      env.MUSTER_TLS_CERT = testTls.client.cert;
      env.MUSTER_TLS_KEY = testTls.client.key;
    }
    if (has("nats")) {
      const server = await startNats();
      started.push(server);
      env.MUSTER_NATS = server.url;
    }
    return stores;
  } catch (error) {
    await stores[Symbol.asyncDispose]();
    throw error;
  }
}
