import type { ErrorCode, FollowState, NamespacedName } from "@muster/core";
import type { FleetChange } from "./feed/fleet-change.ts";
import type { EndpointFilter } from "./store/endpoint-filter.ts";
import type { FleetEndpoint } from "./store/fleet-endpoint.ts";
import type { Wiring } from "./wiring/wiring.ts";

/** Where a runtime is in its life; `stopped` is final. */
export type FleetState = "idle" | "starting" | "running" | "stopping" | "stopped";

/** Options of {@link FleetEndpoints.changes}. */
export interface ChangesOptions {
  /** Resume after this revision, when that is possible. */
  readonly since?: string | undefined;
  /** Ends the feed. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Changed endpoints that may wait for a slow reader before all are merged into a snapshot; default
   * 10,000.
   */
  readonly limit?: number | undefined;
}

/** The endpoints of a fleet, for readers: every read is a synchronous snapshot. */
export interface FleetEndpoints {
  /** Of the latest change, `<epoch>-<n>`; the epoch is new for each runtime. */
  readonly revision: string;
  readonly size: number;
  get(id: string | NamespacedName): FleetEndpoint | undefined;
  /** In the order in which they were found; without a filter all of them, at no cost. */
  list(filter?: EndpointFilter): readonly FleetEndpoint[];
  /** All ranks of one pod. */
  byPod(namespace: string, podName: string): readonly FleetEndpoint[];
  /**
   * The changes from now on, or from `since`. Starts with a snapshot unless it can resume. Changes of
   * one endpoint that wait for the reader are merged, so a slow reader gets its latest state once; an
   * endpoint that came and went unseen is not shown. Ends with `signal`, `return()` or the runtime.
   * Each iterator is a feed of its own; one never asked for anything holds nothing.
   *
   * @throws MusterError CONFIG_INVALID when `limit` is not a whole number from 1.
   */
  changes(options?: ChangesOptions): AsyncIterable<FleetChange>;
}

/** A running data layer. */
export interface Fleet extends AsyncDisposable {
  readonly state: FleetState;
  /** Readable in every state; after a stop it keeps what was last seen, which turns stale. */
  readonly endpoints: FleetEndpoints;
  /** What feeds what; resolved when the runtime is created. */
  readonly wiring: Wiring;
  /**
   * Resolves once every discovery has reported a complete first pass, or has said why it has to wait
   * for its source (`ready` and `status` tell which), and each endpoint found by then was polled once
   * (at most 3 s are spent waiting for slow ones). When it rejects, everything has been stopped
   * again. Calls while starting or running share the first one's result.
   *
   * @throws MusterError START_FAILED whose `problems` are all reasons; RUNTIME_STATE after a stop.
   */
  start(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Resolves once nothing runs or writes any more. May be called in any state, any number of times.
   *
   * @throws MusterError STOP_TIMEOUT naming what did not stop; everything else is stopped all the same.
   */
  stop(): Promise<void>;
  /**
   * Resolves after the first complete pass of every discovery, which may be long after `start`.
   *
   * @throws MusterError with which the start failed; RUNTIME_STATE when stopped before.
   */
  ready(): Promise<void>;
  status(): FleetStatus;
}

/** How a fleet is, for readiness probes. */
export interface FleetStatus {
  readonly state: FleetState;
  /** Running, and every discovery has been ready once. A discovery that fails later does not change it. */
  readonly ready: boolean;
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[];
  readonly discoveries: readonly DiscoveryStatus[];
  /** One for each notification source. They say nothing about readiness. */
  readonly watches: readonly WatchStatus[];
}

/** How the watch of one Kubernetes kind is. */
export interface WatchStatus {
  /** The notification source, `type/name`. */
  readonly source: string;
  /** `group/version, Kind=kind`. */
  readonly kind: string;
  /** `degraded`: the kind cannot be followed, or not yet; it is tried again. */
  readonly state: "running" | "degraded" | "stopped";
  /** Why it is degraded. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  /** What the object watcher follows of the kind; unset when it does not say. */
  readonly follows?: readonly FollowState[];
}

/** How one discovery is. */
export interface DiscoveryStatus {
  /** `type/name`. */
  readonly plugin: string;
  /**
   * `starting`: its first pass is not complete. `degraded`: it failed and is being restarted, or says
   * that it cannot reach its source; its endpoints are kept.
   */
  readonly state: "starting" | "running" | "degraded" | "stopped";
  /** Why it is degraded, or what its first pass waits for. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  /** How many endpoints it owns now. */
  readonly endpoints: number;
  /** What it follows of its source; unset when it does not say. */
  readonly follows?: readonly FollowState[];
}
