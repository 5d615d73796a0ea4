import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyValueStore } from "@muster/core/plane";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import { createFileStore } from "@muster/discovery-kv/file";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { findService, startEtcd } from "@muster/test-servers";

/** One kind of store, with a world of its own. */
export interface PlaneStore {
  readonly name: string;
  /** Endpoint of a server, where there is one. */
  readonly url?: string | undefined;
  /** Another client. */
  connect(): KeyValueStore;
  /** Stops what was started for it. */
  close(): Promise<void>;
}

/** Every store that can be measured on this machine. */
export async function planeStores(): Promise<PlaneStore[]> {
  const stores = [memory(), await file()];
  if (findService("etcd") !== undefined) stores.push(await etcd());
  else process.stderr.write("etcd is not installed (apt-get install etcd-server): left out\n");
  return stores;
}

function memory(): PlaneStore {
  const registry = createMemoryRegistry();
  return {
    name: "memory",
    connect: () => createMemoryStore({ registry }),
    close: () => Promise.resolve(),
  };
}

async function file(): Promise<PlaneStore> {
  const root = await mkdtemp(join(tmpdir(), "muster-bench-"));
  return {
    name: "file",
    connect: () => createFileStore({ root, ttl: "60s" }),
    close: () => rm(root, { recursive: true, force: true }),
  };
}

async function etcd(): Promise<PlaneStore> {
  const server = await startEtcd();
  return {
    name: "etcd",
    url: server.endpoint,
    connect: () => createEtcdStore({ endpoints: server.endpoint, ttl: "60s" }),
    close: async () => {
      await server[Symbol.asyncDispose]();
    },
  };
}
