import {
  type DiscoveryNotifier,
  type EndpointDiscovery,
  type EndpointMetadata,
  endpointId,
  MusterError,
  type TypedName,
  typedName,
} from "@muster/core";

/** An outside world in memory. */
export class MemoryWorld extends EventTarget {
  endpoints: readonly EndpointMetadata[] = [];
  broken = false;
  down = false;

  set(endpoints: readonly EndpointMetadata[]): void {
    this.endpoints = endpoints;
    this.dispatchEvent(new Event("change"));
  }

  setDown(down: boolean): void {
    this.down = down;
    this.dispatchEvent(new Event("change"));
  }
}

/** The smallest discovery that keeps the contract; subclasses break one rule each. */
export class MemoryDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName = typedName("memory-discovery");
  protected readonly world: MemoryWorld;
  protected markReady: () => void = () => undefined;
  #ready: Promise<void> = this.newReady();

  constructor(world: MemoryWorld) {
    this.world = world;
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  async start(notifier: DiscoveryNotifier, { signal }: { signal: AbortSignal }): Promise<void> {
    this.#ready = this.newReady();
    if (this.world.broken) throw this.failure();
    if (signal.aborted) return;
    const known = new Map<string, EndpointMetadata>();
    const follow = (): void => this.look(known, notifier);
    follow();
    this.world.addEventListener("change", follow);
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.unfollow(follow);
  }

  protected look(known: Map<string, EndpointMetadata>, notifier: DiscoveryNotifier): void {
    if (this.world.down) {
      notifier.degraded(new MusterError("DISCOVERY_READ", "the world does not answer"));
      return;
    }
    this.follow(known, notifier);
    this.markReady();
    notifier.recovered();
  }

  protected newReady(): Promise<void> {
    return new Promise((resolve) => {
      this.markReady = resolve;
    });
  }

  protected failure(): Error {
    return new MusterError("DISCOVERY_READ", "the world is gone");
  }

  protected unfollow(follow: () => void): void {
    this.world.removeEventListener("change", follow);
  }

  protected follow(known: Map<string, EndpointMetadata>, notifier: DiscoveryNotifier): void {
    const present = new Map(
      this.world.endpoints.map((metadata) => [endpointId(metadata.namespacedName), metadata]),
    );
    for (const [id, metadata] of known)
      if (!present.has(id)) notifier.delete(metadata.namespacedName);
    known.clear();
    for (const [id, metadata] of present) {
      known.set(id, metadata);
      notifier.upsert(metadata);
    }
  }
}
