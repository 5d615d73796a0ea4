import {
  createDiscoveryNotifier,
  type EndpointDiscovery,
  type EndpointMetadata,
  endpointId,
  type MusterError,
} from "@muster/core";
import { settled } from "./verify.ts";

/** One start of a discovery, and what it reported. */
export interface Run {
  readonly found: Map<string, EndpointMetadata>;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  readonly ready: Promise<void>;
  /** How many calls the notifier got, in all. */
  calls(): number;
  /** The reason why it says that it cannot reach its source, if it does. */
  outage(): MusterError | undefined;
}

/** Starts discoveries; no step of theirs may take longer than `patience` ms. */
export interface Runner {
  start(discovery: EndpointDiscovery, signal?: AbortSignal): Run;
  /** Starts, runs `body`, aborts, and waits for the end. */
  running(
    world: { readonly discovery: EndpointDiscovery },
    body: (run: Run) => Promise<void>,
  ): Promise<Run>;
}

/** Makes a {@link Runner}. */
export function createRunner(patience: number): Runner {
  const start = (discovery: EndpointDiscovery, given?: AbortSignal): Run => {
    const found = new Map<string, EndpointMetadata>();
    const controller = new AbortController();
    const signal = given ?? controller.signal;
    let calls = 0;
    let outage: MusterError | undefined;
    const store = {
      endpointUpsert: (metadata: EndpointMetadata): void => {
        calls++;
        if (!signal.aborted) found.set(endpointId(metadata.namespacedName), metadata);
      },
      endpointDelete: (id: { namespace: string; name: string }): void => {
        calls++;
        if (!signal.aborted) found.delete(endpointId(id));
      },
      discoveryDegraded: (reason: MusterError): void => {
        calls++;
        outage = reason;
      },
      discoveryRecovered: (): void => {
        calls++;
        outage = undefined;
      },
    };
    const done = discovery.start(createDiscoveryNotifier(store), { signal });
    const ready = settled(Promise.race([discovery.ready(), done]), "ready", patience);
    // whoever waits for them sees a rejection; until then it must not count as unhandled
    for (const promise of [done, ready]) promise.catch(() => undefined);
    return { found, controller, done, ready, calls: () => calls, outage: () => outage };
  };
  const running: Runner["running"] = async (world, body) => {
    const run = start(world.discovery);
    try {
      await body(run);
    } finally {
      run.controller.abort();
      await settled(run.done, "start after the abort", patience);
    }
    return run;
  };
  return { start, running };
}

/** What the suite compares: the fields that say where an endpoint is and what it is called. */
export function view(found: ReadonlyMap<string, EndpointMetadata>): Record<string, unknown> {
  const entries = [...found].map(([id, { address, port, metricsHost, labels }]) => [
    id,
    { address, port, metricsHost, labels: { ...labels } },
  ]);
  return Object.fromEntries(entries);
}

/** The {@link view} of these endpoints. */
export function expected(endpoints: readonly EndpointMetadata[]): Record<string, unknown> {
  const byId = endpoints.map(
    (metadata) => [endpointId(metadata.namespacedName), metadata] as const,
  );
  return view(new Map(byId));
}
