import { type MusterError, systemClock } from "@muster/core";
import type { DiscoveryInstance, WaitOptions } from "@muster/core/plane";
import type { StoreConfig } from "@muster/discovery-kv";
import type { Io } from "../cli/io.ts";
import { type OpenPlane, openPlane } from "./open-plane.ts";
import { retryWhileAway } from "./retry.ts";
import { type ServerRecords, specsOf } from "./specs.ts";
import { describeStore } from "./store-url.ts";

/** What {@link register} registers, and where. */
export interface RegisterOptions {
  readonly store: StoreConfig;
  readonly server: ServerRecords;
  /** ms to wait for the store. */
  readonly connectTimeout: number;
  readonly io: Pick<Io, "err" | "signal">;
}

/** Records that live until this is disposed of, or the process dies. */
export interface Registration extends AsyncDisposable {
  readonly instances: readonly DiscoveryInstance[];
  /** Resolves with the reason when they are lost for good, or undefined when they were taken back. */
  readonly lost: Promise<MusterError | undefined>;
}

/**
 * Registers a server and keeps it registered: waits for the store, and after an outage the records are
 * written again. When one record is refused none is left.
 *
 * @throws MusterError PLANE_CONFLICT, PLANE_NAME, PLANE_ABORTED when interrupted, STORE_….
 */
export async function register(options: RegisterOptions): Promise<Registration> {
  const plane = await openPlane(options.store, options.io, "changes");
  try {
    const instances = await registerAll(plane, options);
    return {
      instances,
      lost: plane.store.closed,
      [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
    };
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

async function registerAll(
  { discovery }: OpenPlane,
  { store, server, connectTimeout, io }: RegisterOptions,
): Promise<DiscoveryInstance[]> {
  const deadline = systemClock.monotonic() + connectTimeout;
  const check = (options: WaitOptions): Promise<void> => discovery.check(options);
  const retry = { deadline, io, store: describeStore(store), check };
  const instances: DiscoveryInstance[] = [];
  for (const spec of specsOf(server, discovery.instanceId))
    instances.push(
      await retryWhileAway(() => discovery.register(spec, { signal: io.signal }), retry),
    );
  return instances;
}
