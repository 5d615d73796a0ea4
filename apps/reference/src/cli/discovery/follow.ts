import type { MusterError } from "@muster/core";
import type { Discovery, DiscoveryEvent, DiscoveryStream } from "@muster/core/plane";
import { isMeant, type KindName, queryOf, type RecordFilter } from "../../plane/kinds.ts";
import { type RetryOptions, retryWhileAway } from "../../plane/retry.ts";
import type { Io } from "../io.ts";
import { problemLine } from "../report-error.ts";

/** Takes the events of one kind, in order. */
export type EventWriter = (kind: KindName, event: DiscoveryEvent) => void;

/** What {@link followRecords} follows. */
export interface FollowOptions {
  readonly kinds: readonly KindName[];
  readonly filter: RecordFilter;
  readonly signal: AbortSignal;
  readonly retry: RetryOptions;
  readonly write: EventWriter;
  /** Waits for whoever reads what is written: meanwhile the plane keeps what counts, not every event. */
  readonly drained: Io["drained"];
}

/** Follows records of several kinds until the signal aborts; throws what ends one of them. */
export async function followRecords(discovery: Discovery, options: FollowOptions): Promise<void> {
  const { kinds, filter, retry } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const interruptions = tellInterruptions(retry);
  const open = async (kind: KindName): Promise<DiscoveryStream> => {
    const onInterruption = interruptions();
    return await retryWhileAway(
      () => discovery.listAndWatch(queryOf(kind, filter), { signal, onInterruption }),
      retry,
    );
  };
  const follow = async (kind: KindName, events: DiscoveryStream): Promise<void> => {
    for await (const event of events) {
      if (event.type === "Resync") options.write(kind, meantOnly(event, filter));
      else if (isMeant(event.type === "Added" ? event.instance : event.id, filter))
        options.write(kind, event);
      await options.drained(signal);
    }
  };
  try {
    const opened: [KindName, DiscoveryStream][] = [];
    // one after the other: that a store is waited for is told once, not by each kind
    for (const kind of kinds) opened.push([kind, await open(kind)]);
    await Promise.all(opened.map(([kind, events]) => follow(kind, events)));
  } finally {
    ending.abort();
  }
}

function meantOnly(
  event: DiscoveryEvent & { type: "Resync" },
  filter: RecordFilter,
): DiscoveryEvent {
  return { ...event, instances: event.instances.filter((instance) => isMeant(instance, filter)) };
}

/** Several streams lose one store: that is told once, and its return when all have it back. */
function tellInterruptions({
  io,
  store,
}: RetryOptions): () => (problem: MusterError | undefined) => void {
  const lost = new Set<object>();
  return () => {
    const stream = {};
    return (problem) => {
      const before = lost.size;
      if (problem === undefined) lost.delete(stream);
      else lost.add(stream);
      if (problem !== undefined && before === 0)
        io.err(`${store} is lost: ${problemLine(problem)}\n`);
      if (before > 0 && lost.size === 0) io.err(`${store} is found again\n`);
    };
  };
}
