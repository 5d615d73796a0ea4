import {
  type Discovery,
  type DiscoveryEvent,
  type DiscoveryInstance,
  type DiscoveryQuery,
  type DiscoveryWatchOptions,
  encodeInstance,
} from "@muster/core/plane";
import { StreamLog } from "../stream-log.ts";
import type { Closable } from "../test-api.ts";
import { settled, verifyEqual } from "../verify.ts";

/** One plane without records, and any number of workers on it. */
export interface DiscoveryPlaneWorld extends Closable {
  /** Makes a worker; `instanceId` is given only when the harness has a `largestId`. */
  client(options?: { readonly instanceId?: bigint | undefined }): Discovery | Promise<Discovery>;
}

/** What {@link describeDiscoveryPlane} needs; the flags say where backends may differ. */
export interface DiscoveryPlaneHarness {
  /** A plane without records. */
  make(): DiscoveryPlaneWorld | Promise<DiscoveryPlaneWorld>;
  /**
   * The largest id a worker can be given, such as 2^64 - 1 or, in etcd, 2^63 - 1. Leave it out where
   * ids come from elsewhere (on Kubernetes from the pod's name); they are not tested then.
   */
  readonly largestId?: bigint | undefined;
  /**
   * What registering an endpoint or channel again with another value does: `keep` the first, the
   * default, or `replace` it, as the mock and Kubernetes do.
   */
  readonly registerAgain?: "keep" | "replace" | undefined;
  /** False where a worker can take away its own records only, as on Kubernetes; default true. */
  readonly unregistersOthers?: boolean | undefined;
  /** False where JSON may be spelled anew on its way (key order, `1.0` for `1`); default true. */
  readonly keepsSpelling?: boolean | undefined;
  /** The largest integer of a card that keeps its digits; default 2^64 - 1, on Kubernetes 2^63 - 1. */
  readonly largestNumber?: bigint | undefined;
  /** How long a change may take to be seen, ms; default 3,000. */
  readonly patience?: number | undefined;
}

/** What the tests of one world work with. */
export interface PlaneBench {
  readonly harness: DiscoveryPlaneHarness;
  readonly patience: number;
  /** A worker that is closed at the end of the test. */
  client(instanceId?: bigint): Promise<Discovery>;
  /** Opens a watch and reads it; established when it resolves. */
  watch(
    client: Discovery,
    query: DiscoveryQuery,
    options?: DiscoveryWatchOptions,
  ): Promise<PlaneLog>;
  /** Waits until a worker lists exactly these. */
  lists(
    client: Discovery,
    query: DiscoveryQuery,
    expected: readonly DiscoveryInstance[],
  ): Promise<void>;
  close(): Promise<void>;
}

/** A test of the suite. */
export type PlaneTest = (name: string, body: (bench: PlaneBench) => Promise<void>) => void;

/** Makes the bench of one test. */
export async function createPlaneBench(
  harness: DiscoveryPlaneHarness,
  patience: number,
): Promise<PlaneBench> {
  const world = await harness.make();
  const clients: Discovery[] = [];
  return {
    harness,
    patience,
    async client(instanceId) {
      const making = world.client(instanceId === undefined ? {} : { instanceId });
      const client = await settled(making, "a worker", patience);
      clients.push(client);
      return client;
    },
    async watch(client, query, options) {
      const stream = await settled(client.listAndWatch(query, options), "listAndWatch", patience);
      return new PlaneLog(stream, patience);
    },
    async lists(client, query, expected) {
      const deadline = performance.now() + patience;
      const wanted = wire(expected);
      for (;;) {
        const listed = wire(await settled(client.list(query), "list", patience));
        if (JSON.stringify(listed) === JSON.stringify(wanted)) return;
        if (performance.now() > deadline) verifyEqual(listed, wanted, `list of ${query.type}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async close() {
      await Promise.all(clients.map((client) => settled(client.close(), "close", patience)));
      await world.close?.();
    },
  };
}

/** Follows a watch as its readers do. */
export class PlaneLog extends StreamLog<DiscoveryEvent> {
  /** What a reader takes for registered; new taints show in the events only. */
  view(): DiscoveryInstance[] {
    const view = new Map<string, DiscoveryInstance>();
    for (const event of this.events) {
      if (event.type === "Added") view.set(event.instance.id().key, event.instance);
      if (event.type === "Removed") view.delete(event.id.key);
      if (event.type !== "Resync") continue;
      view.clear();
      for (const instance of event.instances) view.set(instance.id().key, instance);
    }
    return [...view.values()];
  }

  /** How many events of a type there were. */
  count(type: DiscoveryEvent["type"]): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** Waits until the reader's view is exactly this. */
  async sees(expected: readonly DiscoveryInstance[], what: string): Promise<void> {
    await this.shows(() => wire(this.view()), wire(expected), what);
  }

  /** Waits for the first `Resync`. */
  async started(): Promise<void> {
    await this.shows(() => this.count("Resync") > 0, true, "whether there was a Resync");
  }
}

/** Records in wire form, sorted: what the suite compares. */
export function wire(instances: readonly DiscoveryInstance[]): string[] {
  return instances.map(encodeInstance).sort();
}
