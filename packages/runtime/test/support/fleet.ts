import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  type EndpointDiscovery,
  type EndpointMetadata,
  type EndpointMetadataInit,
  type EndpointWriter,
  type PayloadToken,
  type PollInput,
  type PollingExtractor,
  type PollingSource,
  payloadToken,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import type { FakeClock } from "@muster/testkit";

/** Metadata of `default/<name>`. */
export function meta(name: string, init: Partial<EndpointMetadataInit> = {}): EndpointMetadata {
  return createEndpointMetadata({ name, address: "192.0.2.1", port: 8000, ...init });
}

/** A discovery driven by the test. */
export interface ManualDiscovery extends EndpointDiscovery {
  /** Of the latest start. */
  readonly notifier: DiscoveryNotifier;
  readonly starts: number;
  /** Resolves `ready` of the latest start. */
  becomeReady(): void;
  /** Ends the latest start, with an error or without. */
  end(error?: unknown): void;
}

/** Reports what `first` does at each start, and is ready then unless told otherwise. */
export function manualDiscovery(
  name = "manual-discovery",
  options: { first?: (notifier: DiscoveryNotifier) => void; ready?: boolean } = {},
): ManualDiscovery {
  const { first, ready: readyAtOnce = true } = options;
  let notifier: DiscoveryNotifier | undefined;
  let starts = 0;
  let ready = deferred<void>();
  let ended = deferred<void>();
  return {
    typedName: typedName("manual-discovery", name),
    get notifier(): DiscoveryNotifier {
      if (notifier === undefined) throw new Error("not started");
      return notifier;
    },
    get starts(): number {
      return starts;
    },
    start(given, { signal }): Promise<void> {
      starts += 1;
      notifier = given;
      ready = deferred<void>();
      ended = deferred<void>();
      signal.addEventListener("abort", () => ended.resolve(), { once: true });
      first?.(given);
      if (readyAtOnce) ready.resolve();
      return ended.promise;
    },
    ready: () => ready.promise,
    becomeReady: () => ready.resolve(),
    end(error?: unknown): void {
      if (error === undefined) ended.resolve();
      else ended.reject(error);
    },
  };
}

/** A payload for tests. */
const reading: PayloadToken<number> = payloadToken("reading");

/** A source whose polls the test answers. */
export function readingSource(
  poll: (endpoint: EndpointWriter, options: { signal: AbortSignal }) => number | Promise<number>,
  options: { name?: string; interval?: number; clock?: FakeClock; released?: string[] } = {},
): PollingSource<number> {
  const { name = "reading-source", interval, clock, released } = options;
  return createPollingDispatcher<number>({
    typedName: typedName("reading-source", name),
    payload: reading,
    interval,
    clock,
    poll: async (endpoint, given) => poll(endpoint, given),
    release: (id) => void released?.push(id),
  });
}

/** Writes the reading as queue size; provides freshness unless told otherwise. */
export function queueExtractor(
  options: {
    name?: string;
    provides?: boolean;
    extract?: (input: PollInput<number>) => void | Promise<void>;
  } = {},
): PollingExtractor<number> {
  const { name = "queue-extractor", provides = true, extract = writeQueue } = options;
  return {
    typedName: typedName(name),
    variant: "polling",
    payload: reading,
    ...(provides && { provides: "freshness" }),
    extract,
  };
}

function writeQueue({ payload, endpoint }: PollInput<number>): void {
  endpoint.updateMetrics({ waitingQueueSize: payload });
}

/** A promise and its ends, which Node 20 has no function for. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Makes a promise that the test settles. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error("unreachable: the executor runs at once");
  return { promise, ...settle };
}
