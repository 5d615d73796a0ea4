import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MusterError } from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import kvDiscovery, { createKvEndpointDiscovery } from "@muster/discovery-kv";
import { createFileStore } from "@muster/discovery-kv/file";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { type DiscoveryWorld, describeDiscovery } from "@muster/testkit";
import { describe, it } from "vitest";
import { Registrar, served } from "./records.ts";

const endpoints = [
  served(1, "10.0.0.1"),
  served(0xabc, "2001:db8::1"),
  served(3, "worker.internal"),
] as const;
const changed = served(1, "10.0.0.9", 8001);

describe("over a memory store that can go away", () => {
  describeDiscovery({ describe, it }, { make: makeMemoryWorld, endpoints, changed });
});

describe("as a plugin over a file store", () => {
  describeDiscovery({ describe, it }, { make: makeFileWorld, endpoints, changed });
});

async function makeFileWorld(): Promise<DiscoveryWorld> {
  const root = await mkdtemp(join(tmpdir(), "muster-kv-"));
  const writer = createFileStore({ root });
  const registrar = new Registrar(writer);
  return {
    discovery: kvDiscovery.create({ store: { type: "file", root }, namespace: "ns" }),
    set: (wanted) => registrar.set(wanted),
    async close() {
      await writer.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function makeMemoryWorld(): DiscoveryWorld {
  const registry = createMemoryRegistry();
  const writer = createMemoryStore({ registry });
  const registrar = new Registrar(writer);
  const opened = new Set<KeyValueStore>();
  let down = false;
  const openStore = (): KeyValueStore => {
    if (down) throw new MusterError("STORE_UNAVAILABLE", "the store does not answer");
    const store = createMemoryStore({ registry });
    opened.add(store);
    return store;
  };
  return {
    // the suite waits 3 s for what changed meanwhile
    discovery: createKvEndpointDiscovery({ openStore, namespace: "ns", holdTime: "1s" }),
    set: (wanted) => registrar.set(wanted),
    async interrupt() {
      down = true;
      await Promise.all([...opened].map((store) => store.close()));
    },
    restore() {
      down = false;
    },
    close: () => writer.close(),
  };
}
