import type { AttributeKey } from "./attribute-map.ts";
import type { EndpointMetadata } from "./endpoint-metadata.ts";
import type { MusterError } from "./errors.ts";
import type { FollowState } from "./follow-state.ts";
import type { NamespacedName } from "./names.ts";
import type { Plugin } from "./plugin.ts";

/** An attribute a discovery gives with an endpoint; made by {@link discovered}. */
export interface DiscoveredAttribute {
  readonly key: AttributeKey<unknown>;
  readonly value: unknown;
}

/** Ties a key to a value of its type. */
export function discovered<T>(key: AttributeKey<T>, value: T): DiscoveredAttribute {
  return { key: key as AttributeKey<unknown>, value };
}

/** Options of an upsert. */
export interface UpsertOptions {
  /** All attributes this discovery gives the endpoint; those it gave before and not now are removed. */
  readonly attributes?: readonly DiscoveredAttribute[] | undefined;
}

/**
 * Through which a discovery reports endpoints. Calls are synchronous and applied in the order made;
 * after abort they are ignored and counted.
 */
export interface DiscoveryNotifier {
  /** Adds an endpoint, or replaces what is known of it. */
  upsert(metadata: EndpointMetadata, options?: UpsertOptions): void;
  /** Removes an endpoint; unknown ids are ignored. */
  delete(id: NamespacedName): void;
  /**
   * The source cannot be reached or read now, and the discovery goes on trying: why its first pass is
   * not complete, or why its endpoints, which are kept, may be out of date. May be said again with
   * another reason.
   */
  degraded(reason: MusterError): void;
  /** The source is followed again, and all that was missed has been reported; ends `degraded`. */
  recovered(): void;
}

/** The narrow interface of a store that discoveries can fill. */
export interface DiscoveryEndpointStore {
  endpointUpsert(metadata: EndpointMetadata, options?: UpsertOptions): void;
  endpointDelete(id: NamespacedName): void;
  /** The discovery has lost sight of its source; a store that does not care leaves it out. */
  discoveryDegraded?(reason: MusterError): void;
  /** It sees its source again. */
  discoveryRecovered?(): void;
}

/** Options of {@link createDiscoveryNotifier}. */
export interface DiscoveryNotifierOptions {
  /** After it aborts, calls are ignored. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each ignored call. */
  readonly onIgnored?: (() => void) | undefined;
}

/** Lets a discovery fill any store, with or without the runtime. */
export function createDiscoveryNotifier(
  store: DiscoveryEndpointStore,
  options: DiscoveryNotifierOptions = {},
): DiscoveryNotifier {
  const open = (): boolean => {
    if (!options.signal?.aborted) return true;
    options.onIgnored?.();
    return false;
  };
  return Object.freeze({
    upsert(metadata: EndpointMetadata, upsertOptions?: UpsertOptions): void {
      if (open()) store.endpointUpsert(metadata, upsertOptions);
    },
    delete(id: NamespacedName): void {
      if (open()) store.endpointDelete(id);
    },
    degraded(reason: MusterError): void {
      if (open()) store.discoveryDegraded?.(reason);
    },
    recovered(): void {
      if (open()) store.discoveryRecovered?.();
    },
  });
}

/** Finds endpoints and reports their coming and going. */
export interface EndpointDiscovery extends Plugin {
  /**
   * Reports every known endpoint, then each change. Resolves when `signal` aborts; rejects on an
   * error it cannot recover from. One that waits for its source, or has lost it and goes on trying,
   * says so with `notifier.degraded` instead. May be started again after it ended.
   */
  start(notifier: DiscoveryNotifier, options: { signal: AbortSignal }): Promise<void>;
  /**
   * Resolves once the current start has reported a complete first pass; zero endpoints count. New for
   * each start; never rejects; stays pending when start fails first.
   */
  ready(): Promise<void>;
  /** What it follows now, for the status of the runtime; empty while it is not started. */
  follows?(): readonly FollowState[];
}
