// Stores of every kind, for the contract suites: each make() is a world of its own with any number of clients.
import { Buffer } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "@muster/core";

const { MUSTER_ETCD, MUSTER_ETCD_TLS, MUSTER_NATS } = process.env;
const { MUSTER_TLS_CA, MUSTER_TLS_CERT, MUSTER_TLS_KEY } = process.env;

/** What reaches the etcd that demands a client certificate. */
export const tls = { caPath: MUSTER_TLS_CA, certPath: MUSTER_TLS_CERT, keyPath: MUSTER_TLS_KEY };

/**
 * By name; those whose server was not started are left out. What a `ttl` adds takes its time: leases of
 * etcd are the same over TLS.
 */
export const stores = {
  memory: await memoryStores(),
  file: await fileStores(),
  ...(MUSTER_ETCD && { etcd: { ...(await etcdStores(MUSTER_ETCD)), ttl: 1000 } }),
  ...(MUSTER_ETCD_TLS && { "etcd over TLS": await etcdStores(MUSTER_ETCD_TLS, tls) }),
  ...(MUSTER_NATS && { NATS: await natsStores(MUSTER_NATS) }),
};

async function memoryStores() {
  const { createMemoryRegistry, createMemoryStore } = await import("@muster/discovery-kv/memory");
  return {
    largestId: 2n ** 64n - 1n,
    make() {
      const registry = createMemoryRegistry();
      return { client: (connectionId) => createMemoryStore({ registry, connectionId }) };
    },
  };
}

async function fileStores() {
  const { createFileStore } = await import("@muster/discovery-kv/file");
  return {
    ttl: 1000,
    largestId: 2n ** 64n - 1n,
    make() {
      const folder = mkdtempSync(join(tmpdir(), "muster-kv-"));
      const clocks = new Map();
      return {
        client(connectionId) {
          const clock = mortalClock();
          const store = createFileStore(
            { root: join(folder, "root"), ttl: "1s", connectionId },
            { clock },
          );
          clocks.set(store, clock);
          return store;
        },
        kill: (store) => clocks.get(store).stop(),
        close: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

async function etcdStores(endpoint, secure) {
  const { createEtcdStore } = await import("@muster/discovery-kv/etcd");
  return {
    largestId: 2n ** 63n - 1n,
    async make() {
      await clearEtcd(endpoint, secure);
      return proxied(endpoint, (port, leaseId, context) =>
        createEtcdStore(
          { endpoints: `127.0.0.1:${port}`, ttl: "1s", leaseId, tls: secure },
          context,
        ),
      );
    },
  };
}

async function natsStores(url) {
  const { createNatsStore } = await import("@muster/discovery-kv/nats");
  const namespace = "world";
  return {
    ttl: 1000,
    largestId: 2n ** 64n - 1n,
    async make() {
      await clearNats(url, namespace);
      return proxied(url, (port, connectionId) =>
        createNatsStore({ servers: `127.0.0.1:${port}`, namespace, ttl: "1s", connectionId }),
      );
    },
  };
}

/** A world whose clients reach their server through a proxy each, which can be cut. */
function proxied(url, createStore) {
  const proxies = new Map();
  return {
    async client(connectionId, context) {
      const proxy = await startProxy(Number(new URL(url).port));
      const store = createStore(proxy.port, connectionId, context);
      proxies.set(store, proxy);
      return store;
    },
    kill: (store) => proxies.get(store).cut(),
    close: () => Promise.all([...proxies.values()].map((proxy) => proxy.close())),
  };
}

async function startProxy(target) {
  const sockets = new Set();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => other.write(chunk));
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: server.address().port,
    cut,
    close() {
      cut();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A clock that can be stopped for good, as a process that was killed. */
function mortalClock() {
  const timers = new Set();
  let stopped = false;
  return {
    ...systemClock,
    schedule(callback, delay) {
      if (stopped) return () => undefined;
      const cancel = systemClock.schedule(callback, delay);
      timers.add(cancel);
      return cancel;
    },
    stop() {
      stopped = true;
      for (const cancel of timers) cancel();
    },
  };
}

/** Deletes all that etcd holds, without the client that is tested. */
function clearEtcd(endpoint, secure) {
  const everything = Buffer.from("\0").toString("base64");
  const request = secure ? httpsRequest : httpRequest;
  const files = secure && {
    ca: readFileSync(secure.caPath),
    cert: readFileSync(secure.certPath),
    key: readFileSync(secure.keyPath),
  };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent: false, ...files };
    request(`${endpoint}/v3/kv/deleterange`, options, (answer) => {
      answer.resume().on("end", () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`etcd answered ${answer.statusCode}`));
      });
    })
      .on("error", reject)
      .end(JSON.stringify({ key: everything, range_end: everything }));
  });
}

/** Empties a bucket, which saves the time that making one takes. */
async function clearNats(servers, namespace) {
  const [{ connect: connectNats }, { jetstreamManager }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]);
  const connection = await connectNats({ servers });
  const { streams } = await jetstreamManager(connection);
  for await (const { config } of streams.list())
    if (config.name === `KV_${namespace}`) await streams.purge(config.name);
  await connection.close();
}
