import {
  createDiscoveryNotifier,
  type EndpointDiscovery,
  type EndpointMetadata,
  endpointId,
  MusterError,
} from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import { createKvEndpointDiscovery, type KvEndpointDiscoveryOptions } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import {
  createFakeClock,
  createRecordingLogger,
  createRecordingMeter,
  type FakeClock,
} from "@muster/testkit";
import { onTestFinished } from "vitest";

/** A start of a discovery, and what it told. */
export interface Following {
  readonly found: Map<string, EndpointMetadata>;
  /** `+id`, `-id`, `degraded CODE` and `recovered`, in order. */
  readonly calls: string[];
  readonly done: Promise<void>;
  readonly ready: () => boolean;
  abort(): Promise<void>;
}

/** Starts a discovery; aborts it at the end of the test. */
export function follow(discovery: EndpointDiscovery): Following {
  const controller = new AbortController();
  const found = new Map<string, EndpointMetadata>();
  const calls: string[] = [];
  const notifier = createDiscoveryNotifier({
    endpointUpsert(metadata) {
      calls.push(`+${endpointId(metadata.namespacedName)}`);
      found.set(endpointId(metadata.namespacedName), metadata);
    },
    endpointDelete(id) {
      calls.push(`-${endpointId(id)}`);
      found.delete(endpointId(id));
    },
    discoveryDegraded: ({ code }) => void calls.push(`degraded ${code}`),
    discoveryRecovered: () => void calls.push("recovered"),
  });
  const done = discovery.start(notifier, { signal: controller.signal });
  done.catch(() => undefined);
  let isReady = false;
  void discovery.ready().then(() => {
    isReady = true;
  });
  const abort = async (): Promise<void> => {
    controller.abort();
    await done.catch(() => undefined);
  };
  onTestFinished(abort);
  return { found, calls, done, ready: () => isReady, abort };
}

/** A store in memory that others write to and that can go away, and a discovery over it. */
export interface World {
  readonly clock: FakeClock;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly metrics: ReturnType<typeof createRecordingMeter>;
  /** Where others write. */
  readonly writer: KeyValueStore;
  /** Every store that the discovery opened, or tried to. */
  readonly opened: readonly KeyValueStore[];
  readonly discovery: EndpointDiscovery;
  /** The store goes away, and with it every connection. */
  lose(): Promise<void>;
  restore(): void;
}

/** Makes a {@link World} whose time stands still. */
export function setUp(options: Partial<KvEndpointDiscoveryOptions> = {}): World {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const metrics = createRecordingMeter();
  const registry = createMemoryRegistry();
  const writer = createMemoryStore({ registry });
  const opened: KeyValueStore[] = [];
  const state = { down: false };
  const discovery = createKvEndpointDiscovery(
    {
      openStore() {
        const store = createMemoryStore({ registry });
        opened.push(store);
        if (!state.down) return store;
        throw new MusterError("STORE_UNAVAILABLE", "the store does not answer");
      },
      ...options,
    },
    { clock, logger, metrics },
  );
  return {
    clock,
    logger,
    metrics,
    writer,
    opened,
    discovery,
    async lose(): Promise<void> {
      state.down = true;
      await Promise.all(opened.map((store) => store.close()));
      await clock.advance(0);
    },
    restore(): void {
      state.down = false;
    },
  };
}
