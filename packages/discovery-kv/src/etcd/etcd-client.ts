import type { Clock, Logger, MusterError, PluginContext } from "@muster/core";
import type { WatchQueue } from "../watch-queue.ts";
import { BulkReader } from "./bulk-reader.ts";
import type { EtcdStoreSettings } from "./config.ts";
import { Connections } from "./connections.ts";
import { Credentials, type CredentialsOptions } from "./credentials.ts";
import { EndpointList } from "./endpoint.ts";
import { Gateway } from "./gateway.ts";
import type { Lease } from "./lease.ts";
import { createLease } from "./lease-wiring.ts";
import type { RecordWriter } from "./record-writer.ts";
import { type StoreMetrics, storeMetrics } from "./store-metrics.ts";
import { tlsMaterial } from "./tls-material.ts";

/** Connections for calls; a watch has one of its own, and so has the lease. */
const callConnections = 16;

/** What the buckets of a store share. */
export interface EtcdClient {
  readonly gateway: Gateway;
  readonly bulk: BulkReader;
  readonly writer: RecordWriter;
  readonly lease: Lease;
  /** A connection for each watch. */
  readonly streams: Connections;
  readonly endpoints: EndpointList;
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: StoreMetrics;
  /** ms. */
  readonly timeout: number;
  readonly queueLimit: number | undefined;
  readonly watches: Set<WatchQueue>;
  /** @throws MusterError STORE_CLOSED, or why the store failed */
  throwIfClosed(what: string): void;
  /** Closes all connections. */
  disconnect(): void;
}

/** What an {@link EtcdClient} is made of. */
export interface EtcdClientOptions {
  readonly settings: EtcdStoreSettings;
  readonly context: PluginContext;
  readonly leaseId: bigint;
  /** Aborts when the store is closed. */
  readonly stopped: AbortSignal;
  /** The lease is lost, and that is fatal. */
  onFailure(error: MusterError): void;
  throwIfClosed(what: string): void;
}

/** Wires the parts of a store; contacts nothing. */
export function createEtcdClient(options: EtcdClientOptions): EtcdClient {
  const { settings, context, stopped, leaseId, onFailure, throwIfClosed } = options;
  const { clock, logger } = context;
  const { requestTimeout: timeout, queueLimit } = settings;
  // the farewell to the server comes after everything else has stopped
  const never = new AbortController().signal;
  const tls = tlsMaterial(settings.tls, clock);
  const calls = new Connections(tls, callConnections);
  const renewals = new Connections(tls, 1);
  const streams = new Connections(tls, 0);
  const endpoints = new EndpointList(settings.endpoints);
  const common = { endpoints, connections: calls, clock, timeout };
  const credentials = createCredentials(settings, {
    clock,
    timeout,
    gateway: new Gateway({ ...common, stopped: never }),
  });
  const gateway = new Gateway({ ...common, stopped, credentials });
  const leaseGateway = new Gateway({
    ...common,
    // renewals never queue behind other calls
    connections: renewals,
    endpoints: new EndpointList(settings.endpoints),
    stopped: never,
    credentials,
  });
  const bulk = new BulkReader({ endpoints, tls, credentials, clock, logger, timeout, stopped });
  const metrics = storeMetrics(context.metrics);
  const parts = { settings, gateway, leaseGateway, leaseId, clock, logger, metrics, onFailure };
  return {
    ...{
      gateway,
      bulk,
      streams,
      endpoints,
      credentials,
      clock,
      logger,
      metrics,
      timeout,
      queueLimit,
    },
    ...createLease(parts),
    watches: new Set(),
    throwIfClosed,
    disconnect: () => {
      for (const connections of [calls, renewals, streams]) connections.close();
    },
  };
}

function createCredentials(
  { username, password }: EtcdStoreSettings,
  options: Omit<CredentialsOptions, "username" | "password">,
): Credentials | undefined {
  if (username === undefined || password === undefined) return undefined;
  return new Credentials({ username, password, ...options });
}
