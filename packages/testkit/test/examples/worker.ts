import type { Discovery, DiscoveryEvent, DiscoveryStream } from "@muster/core/plane";
import {
  createMockDiscovery,
  createSharedMockRegistry,
  type DiscoveryPlaneHarness,
  type SharedMockRegistry,
} from "@muster/testkit";

/** A worker that passes everything on to a mock; subclasses break one rule each. */
export class Worker implements Discovery {
  readonly registry: SharedMockRegistry;
  readonly inner: Discovery;

  constructor(registry: SharedMockRegistry, instanceId: bigint | undefined) {
    this.registry = registry;
    this.inner = createMockDiscovery({ registry, instanceId });
  }

  get instanceId(): bigint {
    return this.inner.instanceId;
  }

  register: Discovery["register"] = (...args) => this.inner.register(...args);
  unregister: Discovery["unregister"] = (...args) => this.inner.unregister(...args);
  list: Discovery["list"] = (...args) => this.inner.list(...args);
  listAndWatch: Discovery["listAndWatch"] = (...args) => this.inner.listAndWatch(...args);
  updateModelTaints: Discovery["updateModelTaints"] = (...args) =>
    this.inner.updateModelTaints(...args);
  check: Discovery["check"] = (...args) => this.inner.check(...args);
  close: Discovery["close"] = () => this.inner.close();
  [Symbol.asyncDispose]: Discovery["close"] = () => this.close();

  /** A watch with its events changed. */
  protected filtered(
    change: (event: DiscoveryEvent) => DiscoveryEvent[],
  ): Discovery["listAndWatch"] {
    return async (query, options) => {
      const stream = await this.inner.listAndWatch(query, options);
      return mapped(stream, change);
    };
  }
}

function mapped(
  stream: DiscoveryStream,
  change: (event: DiscoveryEvent) => DiscoveryEvent[],
): DiscoveryStream {
  const waiting: DiscoveryEvent[] = [];
  const changed: DiscoveryStream = {
    async next() {
      for (;;) {
        const event = waiting.shift();
        if (event) return { done: false, value: event };
        const result = await stream.next();
        if (result.done === true) return result;
        waiting.push(...change(result.value));
      }
    },
    async return() {
      return (await stream.return?.()) ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => changed,
  };
  return changed;
}

/** Workers of that class on one registry. */
export function workerHarness(
  Class: typeof Worker,
  flags: Partial<DiscoveryPlaneHarness> = {},
): DiscoveryPlaneHarness {
  return {
    patience: 100,
    largestId: 2n ** 64n - 1n,
    registerAgain: "replace",
    make: () => {
      const registry = createSharedMockRegistry();
      return { client: ({ instanceId } = {}) => new Class(registry, instanceId) };
    },
    ...flags,
  };
}
