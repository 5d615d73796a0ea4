import type { BucketWatchOptions, WatchEvent } from "@muster/core/plane";
import type { Interruptions } from "../interruptions.ts";
import { underPrefix } from "../store-key.ts";
import { createWatchQueue, type WatchQueue } from "../watch-queue.ts";
import type { Census, CensusOptions } from "./census.ts";
import { FeedLoop, type FeedReader } from "./feed-loop.ts";
import { keyOfSubject } from "./keys.ts";
import { RecordView } from "./record-view.ts";

/** An open watch, as its store sees it. */
export interface OpenWatch {
  readonly events: AsyncIterableIterator<WatchEvent>;
  /** Ends it and lets go of everything. */
  end(): Promise<void>;
}

/** Options of {@link openWatch}. */
export interface OpenWatchOptions extends CensusOptions {
  readonly census: Census;
  readonly bucket: string;
  readonly watch: BucketWatchOptions;
  readonly interruptions: Interruptions;
  readonly queueLimit: number | undefined;
  /** Called when the watch is over. */
  readonly onEnd: () => void;
}

/** Opens a watch; established when it resolves. */
export async function openWatch(options: OpenWatchOptions): Promise<OpenWatch> {
  const { census, keys, bucket, watch } = options;
  const { signal, prefix } = watch;
  let queue: WatchQueue | undefined;
  const view = new RecordView(census.roster, {
    put: (key, value) => queue?.put(key, value),
    delete: (key) => queue?.delete(key),
  });
  const reader = recordReader(view, {
    takes: underPrefix(prefix),
    interruptions: options.interruptions,
    resync: () => queue?.resync(),
  });
  const loop = new FeedLoop({ ...options, filter: keys.bucket(bucket), reader });
  const deaf = census.roster.listen((owner, alive) => view.turn(owner, alive));
  const remains = (): ReturnType<RecordView["remains"]> => view.remains();
  let leave: (() => void) | undefined;
  const stop = async (): Promise<void> => {
    deaf();
    leave?.();
    await loop.stop();
  };
  try {
    await loop.start(signal);
    // after the records: who wrote one of them had a lease by then
    leave = await census.join(remains, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  queue = createWatchQueue({
    signal,
    limit: options.queueLimit,
    snapshot: () => view.entries(),
    onClose: () => {
      stopped = stop();
      options.onEnd();
    },
  });
  const { events } = queue;
  return {
    events,
    async end() {
      queue?.end();
      await events.return?.();
      await stopped;
    },
  };
}

function recordReader(
  view: RecordView,
  {
    takes,
    interruptions,
    resync,
  }: {
    readonly takes: (key: string) => boolean;
    readonly interruptions: Interruptions;
    readonly resync: () => void;
  },
): FeedReader {
  return {
    begin: () => view.begin(),
    take(message) {
      const key = keyOfSubject(message.subject);
      if (key !== undefined && takes(key)) view.take(key, message);
    },
    synced() {
      view.synced();
      interruptions.end();
      resync();
    },
    interrupted: (problem) => interruptions.begin(problem),
  };
}
