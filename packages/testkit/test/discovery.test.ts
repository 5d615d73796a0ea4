import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  type EndpointMetadata,
} from "@muster/core";
import { type DiscoveryHarness, describeDiscovery } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { MemoryDiscovery, MemoryWorld } from "./examples/memory-discovery.ts";

const server = (name: string, port = 8000): EndpointMetadata =>
  createEndpointMetadata({ name, address: "192.0.2.1", port });

function harnessOf(Discovery: typeof MemoryDiscovery): DiscoveryHarness {
  return {
    patience: 200,
    endpoints: [server("a"), server("b"), server("c")],
    changed: server("a", 9000),
    make: () => {
      const world = new MemoryWorld();
      return {
        discovery: new Discovery(world),
        set: (endpoints) => world.set(endpoints),
        destroy: () => {
          world.broken = true;
        },
        interrupt: () => world.setDown(true),
        restore: () => world.setDown(false),
      };
    },
  };
}

describeDiscovery({ describe, it }, harnessOf(MemoryDiscovery));

class ReadyTooEarly extends MemoryDiscovery {
  protected override newReady(): Promise<void> {
    return Promise.resolve();
  }
}

class ReadyFirst extends MemoryDiscovery {
  protected override follow(
    known: Map<string, EndpointMetadata>,
    notifier: DiscoveryNotifier,
  ): void {
    this.markReady();
    setTimeout(() => super.follow(known, notifier), 1);
  }
}

class NeverDeletes extends MemoryDiscovery {
  protected override follow(
    known: Map<string, EndpointMetadata>,
    notifier: DiscoveryNotifier,
  ): void {
    super.follow(known, { ...notifier, delete: () => {} });
  }
}

class Reorders extends MemoryDiscovery {
  #turn = 0;
  protected override follow(
    known: Map<string, EndpointMetadata>,
    notifier: DiscoveryNotifier,
  ): void {
    const calls: (() => void)[] = [];
    super.follow(known, {
      ...notifier,
      upsert: (metadata) => calls.push(() => notifier.upsert(metadata)),
      delete: (id) => calls.push(() => notifier.delete(id)),
    });
    const wait = this.#turn++ % 2 === 0 ? 0 : 20;
    for (const call of calls) wait === 0 ? call() : setTimeout(call, wait);
  }
}

class ReportsAfterAbort extends MemoryDiscovery {
  protected override unfollow(): void {}
}

class IgnoresAbort extends MemoryDiscovery {
  override async start(notifier: DiscoveryNotifier): Promise<void> {
    await super.start(notifier, new AbortController());
  }
}

class MutableMetadata extends MemoryDiscovery {
  protected override follow(
    known: Map<string, EndpointMetadata>,
    notifier: DiscoveryNotifier,
  ): void {
    super.follow(known, {
      ...notifier,
      upsert: (metadata) => notifier.upsert({ ...metadata }),
    });
  }
}

class FailsWithoutCode extends MemoryDiscovery {
  protected override failure(): Error {
    return new Error("gone");
  }
}

class WaitsInSilence extends MemoryDiscovery {
  protected override look(known: Map<string, EndpointMetadata>, notifier: DiscoveryNotifier): void {
    super.look(known, { ...notifier, degraded: () => undefined });
  }
}

class NeverRecovers extends MemoryDiscovery {
  protected override look(known: Map<string, EndpointMetadata>, notifier: DiscoveryNotifier): void {
    super.look(known, { ...notifier, recovered: () => undefined });
  }
}

class DropsAllInAnOutage extends MemoryDiscovery {
  protected override look(known: Map<string, EndpointMetadata>, notifier: DiscoveryNotifier): void {
    if (this.world.down) {
      for (const { namespacedName } of known.values()) notifier.delete(namespacedName);
      known.clear();
    }
    super.look(known, notifier);
  }
}

const shared = new Map<string, EndpointMetadata>();
class SharesState extends MemoryDiscovery {
  protected override follow(
    _known: Map<string, EndpointMetadata>,
    notifier: DiscoveryNotifier,
  ): void {
    super.follow(shared, notifier);
  }
}

describe("the discovery suite fails a discovery that", () => {
  it.each([
    [
      "is ready before it is started",
      ReadyTooEarly,
      "never rejects ready, and gives a new one for each start",
    ],
    ["is ready before it reported", ReadyFirst, "reports all known endpoints before it is ready"],
    ["never deletes", NeverDeletes, "follows what comes, changes and goes"],
    ["reorders calls", Reorders, "ends at the last state when changes come in a burst"],
    [
      "reports after the abort",
      ReportsAfterAbort,
      "resolves at the abort and reports nothing afterwards; starts again",
    ],
    ["does not end at the abort", IgnoresAbort, "is ready without endpoints too"],
    ["reports mutable metadata", MutableMetadata, "reports immutable metadata"],
    [
      "fails without a code",
      FailsWithoutCode,
      "never rejects ready, and gives a new one for each start",
    ],
    [
      "does not say why it waits",
      WaitsInSilence,
      "waits for a world that cannot be reached, and says why",
    ],
    [
      "never recovers",
      NeverRecovers,
      "keeps what it found while the world cannot be reached, and catches up",
    ],
    [
      "drops everything in an outage",
      DropsAllInAnOutage,
      "keeps what it found while the world cannot be reached, and catches up",
    ],
    ["shares state between instances", SharesState, "shares nothing between two instances"],
  ])("%s", async (_what, Broken, test) => {
    const failures = await failuresOf((api) => describeDiscovery(api, harnessOf(Broken)));
    expect(failures).toContain(test);
  });
});
